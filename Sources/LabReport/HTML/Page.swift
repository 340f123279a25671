// Owns the frame that every HTML page has: head, navigation, style, footer. Nothing is loaded
// from elsewhere.

/// A self-contained HTML page.
struct Page {
    var title: String
    /// The page's own file name, so that its link is marked in the navigation.
    var file: String
    var body: [HTML]
    /// What stands below everything, such as the machine's facts.
    var footer: String = ""

    /// The page as a file.
    func text(navigation: [PageLink]) -> String {
        let head = HTML.block(
            "head", [:],
            [
                .void("meta", ["charset": "utf-8"]),
                .void(
                    "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                .void("meta", ["name": "color-scheme", "content": "light dark"]),
                .text("title", "\(title) · Faultline"),
                .element("style", [Stylesheet.text]),
            ])
        let footing = footer.isEmpty ? [] : [HTML.block("footer", [.paragraph(footer)])]
        let body = HTML.block(
            "body", [:],
            [
                header(navigation),
                .block("main", ["id": "top"], [.text("h1", title)] + self.body),
            ] + footing + [.element("script", [CopyButton.script])])
        return "<!DOCTYPE html>\n" + HTML.block("html", ["lang": "en"], [head, body]).markup + "\n"
    }

    private func header(_ navigation: [PageLink]) -> HTML {
        let links = navigation.map { link in
            link.file == file
                ? HTML.text("a", ["href": link.file, "aria-current": "page"], link.title)
                : HTML.link(link.title, to: link.file)
        }
        return .block(
            "header", [:],
            [
                .text("span", ["class": "name"], "Faultline"),
                .element("nav", ["aria-label": "Pages"], links),
            ])
    }
}

/// A page that the navigation names.
package struct PageLink: Sendable, Hashable {
    package var title: String
    package var file: String

    package init(_ title: String, file: String) {
        self.title = title
        self.file = file
    }
}

/// A button that copies the command beside it.
enum CopyButton {
    /// The command, and a button that does nothing where scripts are off.
    static func command(_ command: String) -> HTML {
        .element(
            "p", ["class": "command"],
            [
                .code(command),
                .text("button", ["type": "button", "data-copy": command], "Copy"),
            ])
    }

    static let script = HTML.raw(
        """
        document.addEventListener("click", function (event) {
          var button = event.target.closest("button[data-copy]");
          if (!button || !navigator.clipboard) { return; }
          navigator.clipboard.writeText(button.dataset.copy).then(function () {
            button.textContent = "Copied";
          });
        });
        """)
}
