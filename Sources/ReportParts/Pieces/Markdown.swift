/// Functions for Markdown, which every Markdown page uses.
package enum Markdown {
    /// Escapes text for a table cell.
    package static func cell(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("|", with: "\\|").replacing("\n", with: " ")
            .replacing("<", with: "&lt;")
    }

    /// Escapes text for a paragraph.
    package static func text(_ text: String) -> String { text.replacing("<", with: "&lt;") }

    /// A link; only the text if the target is nil or empty.
    package static func link(_ text: String, _ target: String?) -> String {
        guard let target, !target.isEmpty else { return text }
        return "[\(text)](\(target))"
    }

    /// A code block, which is fenced with more backticks than its text contains.
    package static func block(_ text: String, language: String = "") -> String {
        var fence = "```"
        while text.contains(fence) { fence += "`" }
        let end = text.hasSuffix("\n") ? "" : "\n"
        return "\(fence)\(language)\n\(text)\(end)\(fence)\n"
    }

    /// Inline code.
    package static func code(_ text: String) -> String {
        text.contains("`") ? "`` \(text) ``" : "`\(text)`"
    }
}
