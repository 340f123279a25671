import LabResults

/// A file of a report folder. The tool writes it.
package struct ReportFile: Sendable, Hashable {
    /// The path relative to the folder.
    package var name: String
    package var text: String
}

/// The pages of a report folder.
package enum ReportSite {
    /// Every file of the folder. Equal contents result in identical files.
    package static func files(_ content: SiteContent) throws -> [ReportFile] {
        let links = navigation(content)
        var files: [ReportFile] = []
        func add(_ page: Page, _ markdown: String, _ json: String?) {
            let stem = String(page.file.dropLast(".html".count))
            files.append(ReportFile(name: page.file, text: page.text(navigation: links)))
            files.append(ReportFile(name: stem + ".md", text: markdown))
            if let json { files.append(ReportFile(name: stem + ".json", text: json)) }
        }
        add(IndexPage.page(content), IndexMarkdown.page(content), nil)
        if let matrix = content.matrix {
            add(
                MatrixPage.page(matrix, check: content.expectation), MatrixMarkdown.page(matrix),
                try ResultFile.text(matrix))
        }
        if let run = content.run {
            add(
                RunPage.page(run, title: SiteContent.runTitle),
                RunMarkdown.page(run, title: SiteContent.runTitle), try ResultFile.text(run))
        }
        if let bench = content.bench {
            add(BenchPage.page(bench), BenchMarkdown.page(bench), try ResultFile.text(bench))
        }
        if let history = content.history {
            add(HistoryPage.page(history), HistoryMarkdown.page(history), nil)
        }
        return files
    }

    private static func navigation(_ content: SiteContent) -> [PageLink] {
        [PageLink("Overview", file: IndexPage.file)]
            + Summaries.all(content).map { PageLink($0.title, file: $0.stem + ".html") }
    }
}
