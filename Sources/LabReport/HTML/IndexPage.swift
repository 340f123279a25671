import LabResults

/// The first page of a report folder.
enum IndexPage {
    static let file = "index.html"

    static func page(_ content: SiteContent) -> Page {
        Page(
            title: "Reports", file: file,
            body: [
                .paragraph(Summaries.sentence(content)),
                content.command.map(CopyButton.command) ?? .empty,
                .block("div", ["class": "cards"], Summaries.all(content).map(card)),
            ],
            footer: content.bench.map { BenchText.label($0.environment) } ?? "")
    }

    private static func card(_ summary: Summaries.Summary) -> HTML {
        let formats = summary.endings.map { ending in
            HTML.link(ending, to: "\(summary.stem).\(ending)")
        }
        return .block(
            "div", ["class": "card"],
            [
                .element("h2", [.link(summary.title, to: "\(summary.stem).html")]),
                .paragraph(summary.sentence),
                .element("ul", summary.facts.map { .text("li", $0) }),
                .element("p", ["class": "soft"], [HTML(formats, separator: " · ")]),
            ])
    }
}
