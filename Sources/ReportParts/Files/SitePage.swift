/// A page of a report folder in all its formats.
package struct SitePage: Sendable {
    /// The summary on the first page of the folder.
    package struct Summary: Sendable {
        var title: String
        var sentence: String
        var facts: [String]

        package init(title: String, sentence: String, facts: [String]) {
            self.title = title
            self.sentence = sentence
            self.facts = facts
        }
    }

    let summary: Summary
    let page: Page
    let markdown: String
    /// The result as JSON; nil for a page about several results.
    let json: String?
    /// The text below the first page of the folder, such as the machine's facts.
    let footer: String

    package init(
        _ summary: Summary, page: Page, markdown: String, json: String? = nil, footer: String = ""
    ) {
        self.summary = summary
        self.page = page
        self.markdown = markdown
        self.json = json
        self.footer = footer
    }

    /// The name of the page's files, without the extension.
    var stem: String { String(page.file.dropLast(".html".count)) }

    /// The file formats of the page.
    var endings: [String] { ["html", "md"] + (json == nil ? [] : ["json"]) }
}
