import Foundation

/// The forms of a log. It is printed by a console or a tool, or copied from a page or a mail.
enum LogStyle: String, CaseIterable, CustomStringConvertible {
    case plain, xcode, xcodeMetadata, nsLog, logShow, compact, syslog, ndjson, json, category
    case subsystem, device, consoleCopy, mail, indented, fenced, tabbed, gutter, gutterTight
    case html, htmlLines, highlighted, coloured, colourLost, xcodeColours, jsonList, jsonMessages
    case jsonDump, windows, wide16, wrapped, wrappedSoftly, wrappedMail, wrappedGutter
    case actions, lane, typographic, bare, emoji, noisy, bold, processes, recorded
    case escaped, cells, tightCells, drawn, mono, colourTags, forum, doubleTicks, starred, chat
    case hardBreaks, rtf, csv, python, ended, prints

    var description: String { rawValue }

    var tellsThreads: Bool {
        [.xcode, .xcodeMetadata, .nsLog, .logShow, .compact, .ndjson, .json].contains(self)
    }

    func text(_ script: LogScript) -> String {
        var clock = 0
        let entries = script.lines.map { line -> Entry in
            clock += 1
            return Entry(text: line.text, thread: line.thread, clock: clock)
        }
        return Renderer(style: self, entries: entries).text
    }

    func bytes(_ script: LogScript) -> [UInt8] {
        let text = text(script)
        guard self == .wide16 else { return Array(text.utf8) }
        return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    struct Entry {
        var text: String
        var thread: Int
        var clock: Int

        var coreData: String { "CoreData: " + text }
        var seconds: String { String(10 + clock / 1_000) }
        var fraction: String { String(String(1_000 + clock % 1_000).dropFirst()) }
        var time: String { "10:11:\(seconds).\(fraction)" }
        var date: String { "2024-05-01 \(time)" }
    }
}

private struct Renderer {
    let style: LogStyle
    let entries: [LogStyle.Entry]

    var text: String {
        switch style {
        case .wrapped, .wrappedSoftly, .wrappedMail, .wrappedGutter: wrapped
        case .html, .htmlLines, .highlighted, .fenced, .typographic, .chat, .rtf: page
        case .json, .ndjson, .jsonList, .jsonMessages, .jsonDump: objects
        case .gutter, .gutterTight: numbered(physical)
        case .windows: physical.map { $0 + "\r\n" }.joined()
        case .processes: twoProcesses
        default: entries.map(entry).joined()
        }
    }

    /// A list of values takes several lines.
    private var physical: [String] {
        entries.flatMap { $0.coreData.components(separatedBy: "\n") }
    }

    // MARK: Consoles

    private func entry(_ entry: LogStyle.Entry) -> String {
        let text = entry.coreData
        let tid = 70_000 + entry.thread
        let hex = String(tid, radix: 16)
        return switch style {
        case .xcode: "\(entry.date)000+0200 Library[4711:\(tid)] \(text)\n"
        case .xcodeMetadata:
            "\(text)\nType: Debug | Timestamp: \(entry.date)000+02:00 | Process: Library | "
                + "Library: CoreData | Subsystem: com.apple.coredata | Category: sql | TID: "
                + "0x\(hex)\n"
        case .nsLog: "\(entry.date) Library[4711:\(hex)] \(text)\n"
        case .logShow:
            "\(entry.date)000+0200 0x\(hex)     Default     0x0                  4711   0    "
                + "Library: (CoreData) [com.apple.coredata:sql] \(text)\n"
        case .compact:
            "\(entry.date) Db Library[4711:\(hex)] [com.apple.coredata:sql] \(text)\n"
        case .syslog:
            "\(entry.date)000+0200  localhost Library[4711]: (CoreData) [com.apple.coredata:sql] "
                + "\(text)\n"
        case .category: "\(entry.date)000+0200 Library[4711:\(tid)] [sql] \(entry.text)\n"
        case .subsystem: "\(entry.time) [com.apple.CoreData:sql] \(entry.text)\n"
        case .device:
            "May  1 \(entry.time.prefix(8)) iPhone Library(CoreData)[4711] <Debug>: \(text)\n"
        case .consoleCopy: "default\t\(entry.time)000+0200\tLibrary\t\(text)\n"
        default: other(entry)
        }
    }

    private func other(_ entry: LogStyle.Entry) -> String {
        let text = entry.coreData
        func eachLine(_ change: (String) -> String) -> String {
            text.components(separatedBy: "\n").map { change($0) + "\n" }.joined()
        }
        return switch style {
        case .mail: eachLine { "> > " + $0 }
        case .indented: eachLine { "    " + $0 }
        case .tabbed: eachLine { "\t" + $0.replacingOccurrences(of: ": ", with: ":\t") }
        case .coloured: eachLine { "\u{1B}[32m" + Self.keywords($0, "\u{1B}[1;34m", "\u{1B}[0m") }
        case .colourLost: eachLine { "[32m" + Self.keywords($0, "[1;34m", "[0m") }
        case .xcodeColours:
            eachLine { Self.keywords($0, "\u{1B}[fg0,0,255;", "\u{1B}[;") }
        case .actions: eachLine { "2024-05-01T\(entry.time)4567Z \($0)" }
        case .lane: eachLine { "[\(entry.time.prefix(8))]: ▸ \($0)" }
        case .bare: eachLine { $0.replacingOccurrences(of: "CoreData: ", with: "") }
        case .emoji: eachLine { "🟢 💾 " + $0.replacingOccurrences(of: "sql: ", with: "sql: 🔎 ") }
        case .bold:
            eachLine { $0.replacingOccurrences(of: "CoreData: sql:", with: "**CoreData: sql:**") }
        case .recorded: eachLine { "\r\($0)\u{08}\($0.last ?? " ")\u{1B}[K" }
        case .noisy: noisy(entry)
        case .escaped: eachLine { Self.escaped($0, "\\_*[]<>`") }
        case .cells: eachLine { "| \(entry.clock) | \(Self.escaped($0, "|")) |" }
        case .tightCells: eachLine { "|\($0)|" }
        case .drawn: eachLine { "│ " + $0 + String(repeating: " ", count: 9) + "│" }
        case .mono: eachLine { "{{\($0)}}" }
        case .colourTags: eachLine { "{color:#505f79}\($0){color}" }
        case .forum: eachLine { "[code]\($0)[/code]" }
        case .doubleTicks: eachLine { "``\($0)``" }
        case .starred: eachLine { "*\($0)*" }
        case .hardBreaks: eachLine { $0 + "\\" }
        default: row(entry)
        }
    }

    private func row(_ entry: LogStyle.Entry) -> String {
        let text = entry.coreData
        return switch style {
        case .csv: "\(entry.clock),\(Self.field(text)),main\n"
        case .python:
            "'" + Self.escaped(text, "\\'").replacingOccurrences(of: "\n", with: "\\n") + "',\n"
        case .ended: text + (entry.text.hasPrefix("sql:") ? ";\n" : "\n")
        case .prints: text + "\n" + Self.prints[entry.clock % Self.prints.count] + "\n"
        default: text + "\n"
        }
    }

    /// Lines of an app that look like parts of SQL.
    private static let prints = [
        "END", "???", "NULL", ", ", ")", "reload()", "viewDidAppear()", "AND", "FAIL", "(1, 2)",
        "- 3", ", 5", "[]", "Optional(7)", "WHERE", "ZNAME",
    ]

    private static func escaped(_ text: String, _ signs: String) -> String {
        text.map { signs.contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    /// A field of a line, in quotation marks if it contains special characters.
    private static func field(_ text: String) -> String {
        guard text.contains(where: { ",\"\n".contains($0) }) else { return text }
        return "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
    }

    /// Adds other lines after the entry. Some of them look like lines of a database.
    private func noisy(_ entry: LogStyle.Entry) -> String {
        let noise = [
            "User tapped Authors", "SELECT * FROM other_table WHERE id = 5",
            "-[Library viewDidLoad] 12 rows", "", "total fetch: 99 rows", "{ \"page\": 3 }",
            "2024-05-01 10:11:12.000 Library[4711:1] [Analytics] sent 5 events", "```",
        ]
        return entry.coreData + "\n" + noise[entry.clock % noise.count] + "\n"
    }

    private static func keywords(_ text: String, _ before: String, _ after: String) -> String {
        ["SELECT", "FROM", "WHERE", "ORDER BY", "INSERT INTO", "UPDATE", "DELETE"].reduce(text) {
            $0.replacingOccurrences(of: "\($1) ", with: "\(before)\($1)\(after) ")
        }
    }

    /// Another app executes other statements and logs at the same time.
    private var twoProcesses: String {
        entries.map { entry in
            let other = entry.clock % 2 == 0 ? "annotation: Bound intarray values." : "debug: idle"
            return "\(entry.date)000+0200 Library[4711:70001] \(entry.coreData)\n"
                + "\(entry.date)000+0200 Other[99:70001] CoreData: \(other)\n"
        }.joined()
    }

    // MARK: Pages

    private var page: String {
        let lines = physical
        switch style {
        case .fenced:
            return "Here is my log:\n\n```console\n\(lines.joined(separator: "\n"))\n```\n"
        case .chat: return "Anna  [10:11 AM]\n```\(lines.joined(separator: "\n"))```\n"
        case .rtf:
            let text = lines.map { Self.escaped($0, "\\{}") }.joined(separator: "\\\n")
            return "{\\rtf1\\ansi\\cocoartf2761\n\\f0\\fs24 \\cf0 \(text)}"
        case .typographic:
            return lines.map { line in
                var isOpen = false
                let curly = line.map { character -> String in
                    switch character {
                    case "\"":
                        isOpen.toggle()
                        return isOpen ? "\u{201C}" : "\u{201D}"
                    case "'": return "\u{2019}"
                    case " ": return "\u{A0}"
                    default: return String(character)
                    }
                }
                return curly.joined() + "\n"
            }.joined()
        case .htmlLines:
            return "<p>" + lines.map(Self.escaped).joined(separator: "<br>\n") + "</p>\n"
        case .highlighted:
            return "<pre><code class=\"language-sql\">"
                + lines.map {
                    Self.keywords(Self.escaped($0), "<span class=\"hljs-keyword\">", "</span>")
                }.joined(separator: "\n") + "</code></pre>\n"
        default:
            return "<pre><code>\(lines.map(Self.escaped).joined(separator: "\n"))</code></pre>\n"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(of: ">", with: "&gt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
            .replacingOccurrences(of: "'", with: "&#39;")
    }

    private func numbered(_ lines: [String]) -> String {
        let width = String(lines.count).count
        return lines.enumerated().map { index, line in
            let number = String(index + 1)
            let padding = String(repeating: " ", count: width - number.count)
            return style == .gutterTight
                ? "\(number): \(line)\n" : "\(padding)\(number) | \(line)\n"
        }.joined()
    }

    // MARK: Objects

    private var objects: String {
        switch style {
        case .jsonList: "[\n" + entries.map { "  \(Self.quoted($0.coreData)),\n" }.joined() + "]\n"
        case .jsonDump: Self.quoted(entries.map { $0.coreData + "\n" }.joined()) + "\n"
        case .jsonMessages:
            entries.map {
                "{\"time\":\"2024-05-01T\($0.time)Z\",\"level\":\"info\",\"message\":"
                    + "\(Self.quoted($0.coreData))}\n"
            }.joined()
        case .json:
            "[" + entries.map { object($0, separator: "\n  ") }.joined(separator: ",") + "]\n"
        default: entries.map { object($0, separator: "") + "\n" }.joined()
        }
    }

    private func object(_ entry: LogStyle.Entry, separator: String) -> String {
        let colon = separator.isEmpty ? ":" : " : "
        let fields = [
            ("traceID", "36893488147"), ("eventMessage", Self.quoted(entry.coreData)),
            ("formatString", "\"CoreData: sql: %{public}@\""),
            ("threadID", "\(70_000 + entry.thread)"),
            ("timestamp", "\"\(entry.date)000+0200\""), ("processID", "4711"),
        ]
        let members = fields.map { "\"\($0)\"\(colon)\($1)" }
        return "{\(separator)" + members.joined(separator: ",\(separator)")
            + (separator.isEmpty ? "}" : "\n}")
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
            .replacingOccurrences(of: "\"", with: "\\\"")
            .replacingOccurrences(of: "\n", with: "\\n")
            .replacingOccurrences(of: "/", with: "\\/")
            .replacingOccurrences(of: "<", with: "\\u003c")
            .replacingOccurrences(of: "\t", with: "\\t")
        return "\"\(escaped)\""
    }

    // MARK: Wrapping

    private var wrapped: String {
        switch style {
        case .wrapped:
            return physical.flatMap { Self.hard($0, 76) }.map { $0 + "\n" }.joined()
        case .wrappedMail:
            return physical.flatMap { Self.soft($0, 70) }.map { "> \($0)\n" }.joined()
        case .wrappedGutter: return numbered(physical.flatMap { Self.soft($0, 70) })
        default: return physical.flatMap { Self.soft($0, 70) }.map { $0 + "\n" }.joined()
        }
    }

    private static func hard(_ line: String, _ width: Int) -> [String] {
        line.isEmpty
            ? [""]
            : stride(from: 0, to: line.count, by: width).map {
                String(line.dropFirst($0).prefix(width))
            }
    }

    private static func soft(_ line: String, _ width: Int) -> [String] {
        var result: [String] = []
        var current = ""
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            if !current.isEmpty, current.count + 1 + word.count > width {
                result.append(current)
                current = String(word)
            } else {
                current = result.isEmpty && current.isEmpty ? String(word) : current + " " + word
            }
        }
        return result + [current]
    }
}
