/// The first page of a report folder.
enum IndexPage {
    static let file = "index.html"

    static func page(_ site: ReportSite) -> Page {
        Page(
            title: "Reports", file: file,
            body: [
                .paragraph(site.sentence),
                site.command.map(CopyButton.command) ?? .empty,
                .block("div", ["class": "cards"], site.pages.map(card)),
            ],
            footer: site.footer)
    }

    private static func card(_ page: SitePage) -> HTML {
        let formats = page.endings.map { ending in
            HTML.link(ending, to: "\(page.stem).\(ending)")
        }
        return .block(
            "div", ["class": "card"],
            [
                .element("h2", [.link(page.summary.title, to: "\(page.stem).html")]),
                .paragraph(page.summary.sentence),
                .element("ul", page.summary.facts.map { .text("li", $0) }),
                .element("p", ["class": "soft"], [HTML(formats, separator: " · ")]),
            ])
    }
}
