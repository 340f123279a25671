import Foundation
import Testing

@testable import ReportParts

/// Text from a file is shown without control characters.
@Suite struct PrintableTests {
    @Test(arguments: [
        (
            "\u{1B}]0;OWNED\u{07}\u{1B}[2J\u{1B}[31mgates",
            #"\u001b]0;OWNED\u0007\u001b[2J\u001b[31mgates"#
        ),
        ("a\rb\u{08}\u{7F}\u{0}", #"a\u000db\u0008\u007f\u0000"#),
        ("\u{9B}31m\u{85}", #"\u009b31m\u0085"#),
        ("safe\u{202E}exe.\u{2066}x\u{2028}", #"safe\u202eexe.\u2066x\u2028"#),
    ])
    func `characters that control a terminal or the text direction are escaped`(
        text: String, shown: String
    ) {
        #expect(text.printable == shown)
    }

    @Test(arguments: ["", "plain\n\ttext", "Größe → 5 😀 ─ عربي", "a\r\nb\u{1B}\r\n"])
    func `other text is unchanged`(text: String) {
        let shown = text.printable
        #expect(shown == text || shown == "a\nb\\u001b\n")
    }

    @Test func `an escaped JSON text has the same value`() throws {
        let text = "{\"a\": \"x\u{9B}y\u{202E}\"}"
        let shown = try JSONSerialization.jsonObject(with: Data(text.printable.utf8))
        #expect((shown as? [String: String])?["a"] == "x\u{9B}y\u{202E}")
    }

    @Test func `colours begin with the introducer of the terminal`() {
        let terminal = Terminal(isColoured: true, introducer: "<")
        #expect(terminal.paint("x", .red) == "<31mx<0m")
        #expect(Terminal(isColoured: true).paint("x", .red) == "\u{1B}[31mx\u{1B}[0m")
    }
}
