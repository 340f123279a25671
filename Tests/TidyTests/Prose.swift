import Foundation

/// A text for readers of the project, such as a comment or a sentence of a page. Its lines are
/// joined.
struct Prose: Sendable {
    enum Kind: String, Sendable {
        case documentation, comment, message, heading, sentence
    }

    let kind: Kind
    let path: String
    /// The line of the first word, counted from 1.
    let line: Int
    var text: String

    static func all(in file: SourceFile) -> [Prose] {
        if file.isSwift { return SwiftProse(file).comments() + SwiftProse(file).messages() }
        if file.isMarkdown { return isGenerated(file.path) ? [] : Page(file).sentences() }
        if file.path == "Tests/Statements.txt" { return statements(file) }
        return scripts.contains { file.path.hasSuffix($0) } ? markedComments(file) : []
    }

    private static let scripts = [".c", ".h", ".sh", ".ci/run", "faultline", "test"]

    /// Whether a command writes the page. The sentences of the page then come from messages in the
    /// sources.
    private static func isGenerated(_ path: String) -> Bool {
        let pages = ["CONFORMANCE", "REFERENCE", "mutants", "policy-matrix"]
        return path.hasPrefix("Reports/") || path.contains("/Golden/")
            || pages.contains { path.hasSuffix("/\($0).md") }
    }

    /// The texts of a list of statements, without their ids and letters.
    private static func statements(_ file: SourceFile) -> [Prose] {
        file.lines.enumerated().compactMap { index, line in
            let parts = line.split(separator: " ", maxSplits: 2)
            guard line.hasPrefix("S"), parts.count == 3 else { return nil }
            return Prose(
                kind: .sentence, path: file.path, line: index + 1, text: String(parts[2]))
        }
    }

    /// The comments of a C or shell file. Neighbouring lines that begin with the mark are one
    /// comment.
    private static func markedComments(_ file: SourceFile) -> [Prose] {
        let mark: Character = file.path.hasSuffix(".c") || file.path.hasSuffix(".h") ? "/" : "#"
        var found: [Prose] = []
        var isOpen = false
        for (index, line) in file.lines.enumerated() {
            let text = line.trimmingCharacters(in: .whitespaces)
            let isComment = text.first == mark && !text.hasPrefix("#!") && !text.hasPrefix("/*")
            defer { isOpen = isComment }
            guard isComment else { continue }
            let words = text.drop { $0 == mark }.trimmingCharacters(in: .whitespaces)
            if isOpen {
                found[found.count - 1].text += " " + words
            } else {
                found.append(Prose(kind: .comment, path: file.path, line: index + 1, text: words))
            }
        }
        return found
    }
}

/// Reads the sentences, cells and headings of a page. Code is not included.
private struct Page {
    private let file: SourceFile
    private var found: [Prose] = []
    private var paragraph: [String] = []
    private var first = 0

    init(_ file: SourceFile) {
        self.file = file
    }

    consuming func sentences() -> [Prose] {
        var isFenced = false
        for (index, line) in file.lines.enumerated() {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("```") {
                isFenced.toggle()
                endParagraph()
            } else if isFenced || text.isEmpty {
                endParagraph()
            } else if text.hasPrefix("#") {
                endParagraph()
                let words = text.drop { $0 == "#" || $0 == " " }
                found.append(
                    Prose(kind: .heading, path: file.path, line: index + 1, text: String(words)))
            } else if text.hasPrefix("|") {
                endParagraph()
                for cell in text.split(separator: "|") { add(String(cell), line: index + 1) }
            } else {
                if text.hasPrefix("- ") || text.hasPrefix("* ") { endParagraph() }
                if paragraph.isEmpty { first = index + 1 }
                paragraph.append(text)
            }
        }
        endParagraph()
        return found
    }

    private mutating func endParagraph() {
        let text = paragraph.joined(separator: " ")
        paragraph = []
        var sentence = ""
        for word in text.split(separator: " ") {
            sentence += sentence.isEmpty ? String(word) : " " + word
            let end = word.last { $0 != ")" && $0 != "*" && $0 != "\"" }
            guard let end, ".?!".contains(end), word.count > 2 else { continue }
            add(sentence, line: first)
            sentence = ""
        }
        add(sentence, line: first)
    }

    private mutating func add(_ text: String, line: Int) {
        let words = text.trimmingCharacters(in: CharacterSet(charactersIn: " -*"))
        guard words.contains(where: \.isLetter) else { return }
        found.append(Prose(kind: .sentence, path: file.path, line: line, text: words))
    }
}
