import Foundation

/// A command line in a page or a message of the tool.
struct ShownCommand: Hashable {
    /// The page, or the source of the message.
    let place: String
    /// The line as it is pasted, without comments and output.
    let line: String

    /// The words into which a shell splits the line.
    var words: [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        var isOpen = false
        for letter in line {
            if letter == "'" {
                isQuoted.toggle()
                isOpen = true
            } else if letter == " ", !isQuoted {
                if isOpen || !word.isEmpty { words.append(word) }
                (word, isOpen) = ("", false)
            } else {
                word.append(letter)
            }
        }
        return isOpen || !word.isEmpty ? words + [word] : words
    }

    /// The arguments of the tool; nil if the line calls another program.
    var arguments: [String]? {
        ["./faultline", "faultline"].contains(words.first) ? Array(words.dropFirst()) : nil
    }

    var isName: Bool { words.first == "faultline" && words.count < 3 }

    var isTests: Bool {
        words.first { !$0.contains("=") } == "./test"
    }
}

extension ShownCommand {
    /// The command lines of a page: lines in shell blocks, and text between backticks.
    static func lines(of page: String, at place: String) -> [ShownCommand] {
        var found: [String] = []
        for (index, part) in page.components(separatedBy: "```").enumerated() {
            // The parts with odd numbers are the fenced blocks. The first line of a block names its
            // language.
            if index % 2 == 1 {
                found += fenced(part)
            } else {
                found += part.replacingOccurrences(of: "\n", with: " ").components(separatedBy: "`")
                    .enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            }
        }
        return commands(found, at: place)
    }

    private static func fenced(_ block: String) -> [String] {
        let lines = block.replacingOccurrences(of: "\\\n", with: " ").components(separatedBy: "\n")
        guard let kind = lines.first, ["sh", "console", "bash"].contains(kind) else { return [] }
        return lines.dropFirst().map { line in
            line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line
        }
    }

    /// The command lines in messages, such as `write it with './faultline bless'`.
    static func messages(of source: String, at place: String) -> [ShownCommand] {
        // Comments are not messages, whether in code or in files that the tool writes.
        let code = source.split(separator: "\n").filter { line in
            let text = line.drop { $0 == " " }
            return !text.hasPrefix("//") && !text.hasPrefix("#")
        }
        let quotes = code.flatMap { line in
            ["'", "`"].flatMap { quote in
                line.components(separatedBy: quote).enumerated()
                    .filter { $0.offset % 2 == 1 }.map(\.element)
            }
        }
        return commands(quotes.filter { !$0.contains("\\(") }, at: place)
    }

    private static func commands(_ lines: [String], at place: String) -> [ShownCommand] {
        var seen: Set<ShownCommand> = []
        return lines.compactMap { line in
            let text = line.components(separatedBy: " # ")[0]
                .split(separator: " ").joined(separator: " ")
            let command = ShownCommand(place: place, line: text)
            let isOwn = command.arguments != nil || command.isTests
            return isOwn && seen.insert(command).inserted ? command : nil
        }
    }
}
