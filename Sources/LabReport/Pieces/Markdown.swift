/// Functions for Markdown, which every Markdown page uses.
enum Markdown {
    /// Text inside a table cell.
    static func cell(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("|", with: "\\|").replacing("\n", with: " ")
            .replacing("<", with: "&lt;")
    }

    /// Text inside a paragraph.
    static func text(_ text: String) -> String { text.replacing("<", with: "&lt;") }

    /// A link; without a target only the text.
    static func link(_ text: String, _ target: String?) -> String {
        guard let target, !target.isEmpty else { return text }
        return "[\(text)](\(target))"
    }

    /// A block of fixed-width text, fenced with more backticks than it contains.
    static func block(_ text: String, language: String = "") -> String {
        var fence = "```"
        while text.contains(fence) { fence += "`" }
        let end = text.hasSuffix("\n") ? "" : "\n"
        return "\(fence)\(language)\n\(text)\(end)\(fence)\n"
    }

    /// Fixed-width text inside a line.
    static func code(_ text: String) -> String {
        text.contains("`") ? "`` \(text) ``" : "`\(text)`"
    }
}
