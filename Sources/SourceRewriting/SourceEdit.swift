/// What an edit is about; the counts of a port are by these.
public enum EditKind: String, CaseIterable, Sendable {
    case attribute = "attributes and modifiers of Objective-C"
    case managedProperty = "@NSManaged properties"
    case managedFunction = "@NSManaged functions"
    case keyPath = "#keyPath"
    case selector = "#selector"
    case observer = "observers by selector"
    case override = "overrides in extensions"
    case initializer = "initialisers"
    case request = "casts of fetch requests"
    case predicateArgument = "arguments of predicates"
    case sortKeyPath = "sort descriptors by key path"
    case bundle = "bundles"
    case platform = "conditions on the platform"
    case moduleName = "imports of submodules"
    case className = "names of classes"
    case bridging = "casts of NSSet and NSDictionary"
    case copying = "@NSCopying properties"
    case optional = "@objc optional methods"
    case location = "#sourceLocation"
    case mainActorTest = "tests of the main actor"
}

/// Text that takes the place of a range of a file's bytes.
struct SourceEdit {
    let range: Range<Int>
    let text: String
    let kind: EditKind
}

/// What could not be translated, and where.
public struct RewriteWarning: Sendable, Equatable {
    /// The file as it was given.
    public let file: String
    /// The line, counted from 1.
    public let line: Int
    /// The column in bytes, counted from 1.
    public let column: Int
    /// What is wrong and what to do.
    public let message: String

    /// The warning as compilers print theirs.
    public var text: String { "\(file):\(line):\(column): warning: \(message)" }
}

/// A file with its edits applied.
public struct RewrittenFile: Sendable {
    /// The file as it was given.
    public let path: String
    /// The new text, without a line that names the original.
    public let text: String
    /// The text with lines that tell which of the original follow.
    let numbered: String
    /// Whether the file must import `CoreData`, and does not.
    public let needsImport: Bool
    /// How many edits of each kind were made.
    public let counts: [EditKind: Int]
    /// What could not be translated.
    public let warnings: [RewriteWarning]

    /// The name of the copy. It is not the original's, because two files of a module that have
    /// one name would be told apart by nothing in `#fileID`.
    public var copyName: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        // Statements at the top level are known by the file's name alone.
        if name == "main.swift" { return name }
        return (name.hasSuffix(".swift") ? String(name.dropLast(6)) : name) + ".rewritten.swift"
    }

    /// The text with a line that names the original, so that errors and breakpoints do.
    ///
    /// It takes the place of the first line where that can go, because macros, as those of tests,
    /// tell the copy's lines.
    public var located: String {
        var text = numbered
        // Neither a byte order mark nor a script's first line may stand behind others.
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        if text.hasPrefix("#!") { text = "//" + text.dropFirst(2) }
        let end = needsImport ? "\nimport CoreData\n" : ""
        let first = text.prefix { !$0.isNewline }
        // A carriage return alone ends no line for the compiler.
        guard first.endIndex < text.endIndex, text[first.endIndex] != "\r",
            let moved = Self.movable(first)
        else {
            return RewrittenLine.directive(file: path, line: 1) + "\n" + text + end
        }
        return RewrittenLine.directive(file: path, line: 2) + text[first.endIndex...] + end + moved
    }

    /// What a first line has that may as well stand last: nothing, or an import; nil where it must
    /// stay.
    private static func movable(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        if words.isEmpty || words[0].hasPrefix("//") { return "" }
        let modifiers = words.prefix { $0 != "import" }
        let names = words.dropFirst(modifiers.count)
        guard names.count == 2, modifiers.allSatisfy({ $0.hasPrefix("@") }),
            names.dropFirst().allSatisfy({
                $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            })
        else { return nil }
        return "\n\(line)\n"
    }

    /// The text as a source of its own, with the import that it needs.
    public var standalone: String {
        if !needsImport { return text }
        var rest = text
        if rest.unicodeScalars.first == "\u{FEFF}" { rest.unicodeScalars.removeFirst() }
        guard rest.hasPrefix("#!"), let end = rest.firstIndex(where: \.isNewline) else {
            return importLine + rest
        }
        let next = rest.index(after: end)
        return rest[..<next] + importLine + rest[next...]
    }

    private var importLine: String { needsImport ? "import CoreData\n" : "" }

    static func apply(_ edits: [SourceEdit], to bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        var position = 0
        // Insertions at one place keep their order.
        let sorted = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }
        for (_, edit) in sorted {
            // A node inside one that was replaced as a whole.
            if edit.range.lowerBound < position { continue }
            result += bytes[position..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            position = edit.range.upperBound
        }
        result += bytes[position...]
        return String(decoding: result, as: UTF8.self)
    }
}
