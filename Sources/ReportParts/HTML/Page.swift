/// A self-contained HTML page. It does not load other resources.
package struct Page: Sendable {
    package var title: String
    /// The navigation highlights the link to this file.
    package var file: String
    package var body: [HTML]
    package var footer: String
    package var styles: [HTML]
    package var scripts: [HTML]

    package init(
        title: String, file: String, body: [HTML], footer: String = "", styles: [HTML] = [],
        scripts: [HTML] = []
    ) {
        self.title = title
        self.file = file
        self.body = body
        self.footer = footer
        self.styles = styles
        self.scripts = scripts
    }

    package func text(navigation: [PageLink]) -> String {
        let head = HTML.block(
            "head", [:],
            [
                .void("meta", ["charset": "utf-8"]),
                .void(
                    "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                .void("meta", ["name": "color-scheme", "content": "light dark"]),
                .text("title", "\(title) · Faultline"),
                .element("style", [Stylesheet.text] + styles),
            ])
        let footing = footer.isEmpty ? [] : [HTML.block("footer", [.paragraph(footer)])]
        let body = HTML.block(
            "body", [:],
            [
                header(navigation),
                .block("main", ["id": "top"], [.text("h1", title)] + self.body),
                .element("p", ["class": "unseen", "role": "status", "id": "status"], []),
            ] + footing + [CopyButton.script] + scripts)
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

package struct PageLink: Sendable, Hashable {
    package var title: String
    package var file: String

    package init(_ title: String, file: String) {
        self.title = title
        self.file = file
    }
}

package enum CopyButton {
    package static func command(_ command: String) -> HTML {
        .element("p", ["class": "command"], [.code(command), button("Copy", copies: command)])
    }

    package static func button(_ title: String, copies text: String) -> HTML {
        .text("button", ["type": "button", "data-copy": text], title)
    }

    /// If the clipboard is not accessible, the script selects the text and copies the selection.
    package static let script = HTML.script(
        """
        document.addEventListener("click", function (event) {
          var button = event.target.closest("button[data-copy]");
          if (!button) { return; }
          var title = button.dataset.title || button.textContent;
          button.dataset.title = title;
          function say(text) {
            button.textContent = text;
            document.getElementById("status").textContent = text;
            setTimeout(function () { button.textContent = title; }, 2000);
          }
          function select() {
            var field = document.createElement("textarea");
            field.value = button.dataset.copy;
            field.setAttribute("aria-hidden", "true");
            field.style.position = "fixed";
            field.style.opacity = "0";
            document.body.appendChild(field);
            field.select();
            var done = document.execCommand("copy");
            field.remove();
            button.focus();
            say(done ? "Copied" : "Not copied: the browser forbids it");
          }
          if (!navigator.clipboard) { select(); return; }
          navigator.clipboard.writeText(button.dataset.copy).then(function () {
            say("Copied");
          }, select);
        });
        """)
}
