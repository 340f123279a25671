/// A fragment of HTML. Text is escaped when it becomes part of a fragment.
package struct HTML: Sendable {
    package private(set) var markup: String

    package init(_ text: String) { markup = Self.escape(text) }

    private init(markup: String) { self.markup = markup }

    package init(_ parts: [HTML], separator: String = "") {
        markup = parts.map(\.markup).joined(separator: separator)
    }

    package static let empty = HTML(markup: "")

    /// Creates a fragment from well-formed markup. Used only for style sheets and scripts of this
    /// package.
    package static func raw(_ markup: StaticString) -> HTML { HTML(markup: markup.description) }

    package static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String>, _ children: [HTML]
    ) -> HTML {
        let inner = children.map(\.markup).joined()
        return HTML(markup: "<\(name)\(list(attributes))>\(inner)</\(name)>")
    }

    package static func element(_ name: String, _ children: [HTML]) -> HTML {
        element(name, [:], children)
    }

    package static func text(
        _ name: String, _ attributes: KeyValuePairs<String, String>, _ text: String
    ) -> HTML {
        element(name, attributes, [HTML(text)])
    }

    package static func text(_ name: String, _ text: String) -> HTML {
        element(name, [:], [HTML(text)])
    }

    /// An element with each child on a separate line.
    package static func block(
        _ name: String, _ attributes: KeyValuePairs<String, String>, _ children: [HTML]
    ) -> HTML {
        let inner = children.map { $0.markup + "\n" }.joined()
        return HTML(markup: "<\(name)\(list(attributes))>\n\(inner)</\(name)>")
    }

    package static func block(_ name: String, _ children: [HTML]) -> HTML {
        block(name, [:], children)
    }

    package static func void(_ name: String, _ attributes: KeyValuePairs<String, String>) -> HTML {
        HTML(markup: "<\(name)\(list(attributes))/>")
    }

    package static func shape(_ name: String, _ attributes: KeyValuePairs<String, String>) -> HTML {
        HTML(markup: "<\(name)\(list(attributes))/>")
    }

    package static func link(_ text: String, to target: String) -> HTML {
        self.text("a", ["href": target], text)
    }

    package static func code(_ text: String) -> HTML { self.text("code", text) }

    package static func paragraph(_ text: String, class name: String = "") -> HTML {
        self.text("p", name.isEmpty ? [:] : ["class": name], text)
    }

    /// A script in a form that is valid in HTML and in XML.
    package static func script(_ text: StaticString) -> HTML {
        HTML(markup: "<script>//<![CDATA[\n\(text.description)\n//]]></script>")
    }

    /// JSON for a script of the page. Characters that could close the element are escaped.
    package static func data(_ json: String, id: String) -> HTML {
        let text = json.escaped { scalar in
            switch scalar {
            case "&": "\\u0026"
            case "<": "\\u003c"
            case ">": "\\u003e"
            default: nil
            }
        }
        return HTML(
            markup: "<script type=\"application/json\" id=\"\(escape(id))\">\(text)</script>")
    }

    private static func list(_ attributes: KeyValuePairs<String, String>) -> String {
        attributes.map { " \($0)=\"\(escape($1))\"" }.joined()
    }

    /// Also replaces characters that HTML does not allow.
    package static func escape(_ text: String) -> String {
        text.escaped { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\n", "\t": nil
            case "\0"..."\u{1F}", "\u{7F}": "\u{FFFD}"
            default: nil
            }
        }
    }
}
