/// Colours text for a terminal.
package struct Terminal: Sendable {
    package var isColoured: Bool
    /// The prefix of each colour code. It is the escape sequence, or a placeholder that is replaced
    /// with the escape sequence when the text is written.
    private let introducer: String

    package init(isColoured: Bool, introducer: String = Terminal.escape) {
        self.isColoured = isColoured
        self.introducer = introducer
    }

    package static let escape = "\u{1B}["

    /// Without colours, for a pipe or a file.
    package static let plain = Terminal(isColoured: false)

    package enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case grey = "90"
        case bold = "1"
    }

    package func paint(_ text: String, _ colour: Colour?) -> String {
        guard isColoured, let colour, !text.isEmpty else { return text }
        return "\(introducer)\(colour.rawValue)m\(text)\(introducer)0m"
    }
}
