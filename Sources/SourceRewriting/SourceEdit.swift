/// The kind of an edit. The command `port` counts edits by their kind.
public enum EditKind: String, CaseIterable, Sendable {
    case attribute = "attributes and modifiers of Objective-C"
    case managedProperty = "@NSManaged properties"
    case managedFunction = "@NSManaged functions"
    case keyPath = "#keyPath"
    case selector = "#selector"
    case observer = "observers with a selector"
    case override = "overrides in extensions"
    case initializer = "initialisers"
    case request = "casts of fetch requests"
    case predicateArgument = "arguments of predicates"
    case sortKeyPath = "sort descriptors with a key path"
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

/// Text that replaces a range of a file's bytes.
struct SourceEdit {
    let range: Range<Int>
    let text: String
    let kind: EditKind
}

/// A warning about code that could not be translated.
public struct RewriteWarning: Sendable, Equatable {
    /// The path of the file, as the caller passed it.
    public let file: String
    /// The line, counted from 1.
    public let line: Int
    /// The column in UTF-8 bytes, counted from 1.
    public let column: Int
    /// The problem and its remedy.
    public let message: String

    /// The warning in the diagnostic format of compilers.
    public var text: String { "\(file):\(line):\(column): warning: \(message)" }
}

/// The result of rewriting one file.
public struct RewrittenFile: Sendable {
    /// The path of the file, as the caller passed it.
    public let path: String
    /// The rewritten text, without directives that refer to the original.
    public let text: String
    /// The rewritten text, with directives for line numbers of the original.
    let numbered: String
    /// Whether an import of `CoreData` must be added.
    public let needsImport: Bool
    /// The number of edits of each kind.
    public let counts: [EditKind: Int]
    /// The warnings about code that could not be translated.
    public let warnings: [RewriteWarning]

    /// The file name of the copy. It is different from the original's name, because `#fileID`
    /// cannot distinguish two files of one module with the same name.
    public var copyName: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        // A file with top-level statements must be named `main.swift`.
        if name == "main.swift" { return name }
        return (name.hasSuffix(".swift") ? String(name.dropLast(6)) : name) + ".rewritten.swift"
    }

    /// The text with a directive that refers to the original. Errors and breakpoints then use line
    /// numbers of the original.
    ///
    /// If possible, the directive replaces the first line, which moves to the end. The lines of the
    /// copy then keep their numbers, which macros such as `#expect` record.
    public var located: String {
        var text = numbered
        // A byte order mark and a `#!` line are permitted only at the start of a file, where the
        // directive is.
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        if text.hasPrefix("#!") { text = "//" + text.dropFirst(2) }
        let end = needsImport ? "\nimport CoreData\n" : ""
        let first = text.prefix { !$0.isNewline }
        // The compiler does not treat a carriage return without a line feed as the end of a line.
        guard first.endIndex < text.endIndex, text[first.endIndex] != "\r",
            let moved = Self.movable(first)
        else {
            return RewrittenLine.directive(file: path, line: 1) + "\n" + text + end
        }
        return RewrittenLine.directive(file: path, line: 2) + text[first.endIndex...] + end + moved
    }

    /// The text at the end of the file if the directive replaces this line: the line if it is an
    /// import, otherwise nothing. Nil if the line cannot be moved.
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

    /// The text without references to the original, including the import that it needs.
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
        // Several insertions at one position remain in their order.
        let sorted = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }
        for (_, edit) in sorted {
            // An edit inside a node that another edit replaces is skipped.
            if edit.range.lowerBound < position { continue }
            result += bytes[position..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            position = edit.range.upperBound
        }
        result += bytes[position...]
        return String(decoding: result, as: UTF8.self)
    }
}
