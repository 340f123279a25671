package enum Markdown {
    package static func cell(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("|", with: "\\|").replacing("\n", with: " ")
            .replacing("<", with: "&lt;")
    }

    package static func text(_ text: String) -> String { text.replacing("<", with: "&lt;") }

    /// A link; only the text if the target is nil or empty.
    package static func link(_ text: String, _ target: String?) -> String {
        guard let target, !target.isEmpty else { return text }
        return "[\(text)](\(target))"
    }

    /// The fence has more backticks than the text contains in sequence.
    package static func block(_ text: String, language: String = "") -> String {
        var fence = "```"
        while text.contains(fence) { fence += "`" }
        let end = text.hasSuffix("\n") ? "" : "\n"
        return "\(fence)\(language)\n\(text)\(end)\(fence)\n"
    }

    package static func code(_ text: String) -> String {
        text.contains("`") ? "`` \(text) ``" : "`\(text)`"
    }
}
