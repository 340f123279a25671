import LabResults

/// The first Markdown page of a report folder.
enum IndexMarkdown {
    static func page(_ content: SiteContent) -> String {
        let sections = Summaries.all(content).map { summary in
            let facts = summary.facts.map { "- \(Markdown.text($0))\n" }.joined()
            return """
                ## [\(summary.title)](\(summary.stem).md)

                \(summary.sentence)

                \(facts)
                \(links(summary))

                """
        }
        let label = content.bench.map { BenchText.label($0.environment) + "\n" } ?? ""
        return """
            # Reports

            \(Summaries.sentence(content))\(content.command.map { "\n\n    \($0)" } ?? "")

            \(sections.joined(separator: "\n"))
            \(label)
            """
    }

    private static func links(_ summary: Summaries.Summary) -> String {
        let names = ["md": "Markdown", "html": "HTML", "json": "JSON"]
        return ["md", "html", "json"].filter(summary.endings.contains)
            .map { "[\(names[$0] ?? $0)](\(summary.stem).\($0))" }.joined(separator: " · ")
    }
}
