/// The first Markdown page of a report folder.
enum IndexMarkdown {
    static func page(_ site: ReportSite) -> String {
        let sections = site.pages.map { page in
            let facts = page.summary.facts.map { "- \(Markdown.text($0))\n" }.joined()
            return """
                ## [\(page.summary.title)](\(page.stem).md)

                \(page.summary.sentence)

                \(facts)
                \(links(page))

                """
        }
        let label = site.footer.isEmpty ? "" : site.footer + "\n"
        return """
            # Reports

            \(site.sentence)\(site.command.map { "\n\n    \($0)" } ?? "")

            \(sections.joined(separator: "\n"))
            \(label)
            """
    }

    private static func links(_ page: SitePage) -> String {
        let names = ["md": "Markdown", "html": "HTML", "json": "JSON"]
        return ["md", "html", "json"].filter(page.endings.contains)
            .map { "[\(names[$0] ?? $0)](\(page.stem).\($0))" }.joined(separator: " · ")
    }
}
