import LabResults

/// The first Markdown page of a report folder; the report site writes it.
enum IndexMarkdown {
    static func page(_ content: SiteContent) -> String {
        let sections = Summaries.all(content).map { summary in
            let facts = summary.facts.map { "- \(Markdown.text($0))\n" }.joined()
            return """
                ## [\(summary.title)](\(summary.stem).md)

                \(summary.sentence)

                \(facts)
                [Markdown](\(summary.stem).md) · [HTML](\(summary.stem).html) · \
                [JSON](\(summary.stem).json)

                """
        }
        let label = content.bench.map { BenchText.label($0.environment) + "\n" } ?? ""
        return """
            # Reports

            What Faultline found about merge conflicts, faults, batches and prefetching.
            `./faultline` without arguments writes this folder again.

            \(sections.joined(separator: "\n"))
            \(label)
            """
    }
}
