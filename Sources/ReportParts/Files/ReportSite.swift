/// A file of a report folder. The tool writes it.
package struct ReportFile: Sendable, Hashable {
    /// The path relative to the folder.
    package var name: String
    package var text: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}

/// A report folder.
package struct ReportSite: Sendable {
    /// The pages, in the order of the navigation.
    let pages: [SitePage]
    /// The command line that writes all pages; nil if several commands wrote the results.
    let command: String?

    package init(_ pages: [SitePage], command: String? = nil) {
        self.pages = pages
        self.command = command
    }

    /// Every file of the folder. Equal pages result in identical files.
    package func files() -> [ReportFile] {
        let links =
            [PageLink("Overview", file: IndexPage.file)]
            + pages.map { PageLink($0.summary.title, file: $0.page.file) }
        let index = IndexPage.page(self)
        var files = [
            ReportFile(name: index.file, text: index.text(navigation: links)),
            ReportFile(name: "index.md", text: IndexMarkdown.page(self)),
        ]
        for page in pages {
            files.append(ReportFile(name: page.page.file, text: page.page.text(navigation: links)))
            files.append(ReportFile(name: page.stem + ".md", text: page.markdown))
            if let json = page.json {
                files.append(ReportFile(name: page.stem + ".json", text: json))
            }
        }
        return files
    }

    /// A sentence about the contents and the origin of the folder.
    var sentence: String {
        let what = "Faultline's results about merge conflicts, faults, batches and prefetching."
        return command == nil
            ? what + " Written from saved results."
            : what + " One command writes all of these pages again:"
    }

    /// The text below the first page.
    var footer: String { pages.map(\.footer).filter { !$0.isEmpty }.joined(separator: "\n") }
}
