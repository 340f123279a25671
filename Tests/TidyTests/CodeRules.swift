import Foundation

/// The rules about single lines of Swift.
enum CodeRules {
    /// Finds an unchecked conformance without a comment that states why it is safe.
    static func hatches(_ file: SourceFile) -> [Violation] {
        lines(file) { index, line in
            guard line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)"),
                !(index > 0 && file.code[index - 1].contains("unavailable")),
                !explains(file.commentAbove(index)), !explains(file.lines[index])
            else { return nil }
            return ("unchecked", "write above it '… because <the guard>', or remove it")
        }
    }

    /// Finds a forced operation of the sources without a comment that states why it is safe.
    static func forced(_ file: SourceFile) -> [Violation] {
        guard file.isSource else { return [] }
        return lines(file) { index, line in
            guard let what = forcedOperation(line) else { return nil }
            let explained =
                file.lines[index].contains("// Safe:")
                || file.commentAbove(index).contains("// Safe:")
            return explained ? nil : ("forced", "handle it instead of \(what), or say '// Safe: …'")
        }
    }

    static func fatalErrors(_ file: SourceFile) -> [Violation] {
        lines(file) { _, line in
            guard line.contains("fatalError()") || line.contains("preconditionFailure()")
            else { return nil }
            return ("fatal-error", "write the problem and the remedy")
        }
    }

    /// The engine ends a process only through the function `trap`. Swift drops the texts of other
    /// traps in release builds.
    static func traps(_ file: SourceFile) -> [Violation] {
        let isEngine = file.module.map { $0.hasPrefix("CoreData") } == true
        guard file.isSource, isEngine, file.path != "Sources/CoreDataTrace/Trap.swift" else {
            return []
        }
        return lines(file) { _, line in
            let names = ["fatalError", "preconditionFailure", "precondition"]
            guard let name = names.first(where: { calls(line, $0) }) else { return nil }
            return ("trap", "call trap(_:) or trap(unless:_:) instead of \(name)")
        }
    }

    static func printing(_ file: SourceFile) -> [Violation] {
        guard file.isSource, file.module != "faultline", file.module != "coredata-sources"
        else { return [] }
        return lines(file) { _, line in
            guard calls(line, "print") || calls(line, "debugPrint") || calls(line, "dump")
            else { return nil }
            return ("print", "return a value; only the faultline executable prints")
        }
    }

    /// Closing a descriptor of a database drops all locks that the process has on it. Only SQLite
    /// may therefore open files that could be databases.
    static func fileReads(_ file: SourceFile) -> [Violation] {
        let isNear =
            file.path.hasPrefix("Sources/CoreDataStore/Stores/SQLite/")
            || file.path.hasPrefix("Sources/CoreDataStore/Coordinator/")
            || file.path.hasPrefix("Sources/CoreDataSQLite/")
            || file.path.hasPrefix("Sources/CoreDataStore/Stores/Door/")
            || file.path == "Sources/CoreDataStore/Stores/FileCreation.swift"
        guard isNear else { return [] }
        return lines(file) { _, line in
            let opens =
                [
                    "FileHandle", "InputStream", "(contentsOf:", "contents(atPath",
                    "(contentsOfFile", "FileDescriptor",
                ].contains { line.contains($0) && !line.contains("append(contentsOf:") }
                || ["fopen", "open", "openat", "creat"].contains { calls(line, $0) }
                    && !line.contains(".open(") && !line.contains("func open(")
            return opens
                ? ("file-read", "read it through SQLite (DatabaseFile, Connection), or use stat")
                : nil
        }
    }

    /// Finds uses of the class of SQLite stores outside of `Stores`. Other code uses `StoreKind`.
    static func concreteStores(_ file: SourceFile) -> [Violation] {
        guard file.isSource, !file.path.hasPrefix("Sources/CoreDataStore/Stores/") else {
            return []
        }
        return lines(file) { _, line in
            guard Words.of(line).contains("SQLiteStore") else { return nil }
            return ("concrete-store", "ask the StoreKind, or the protocol of a trait")
        }
    }

    /// Finds `case a, b where c`. The condition seems to apply to both patterns, but applies to
    /// only `b`.
    /// to `b`.
    static func conditionsOfOnePattern(_ file: SourceFile) -> [Violation] {
        file.code.indices.compactMap { index in
            guard file.code[index].drop(while: { $0 == " " }).hasPrefix("case "),
                hasConditionAfterPatterns(file.code[index...])
            else { return nil }
            return file.violation(
                index, "where", "test the condition in the case, for every pattern")
        }
    }

    /// Whether the `where` of the case on the first line follows several patterns.
    private static func hasConditionAfterPatterns(_ lines: ArraySlice<String>) -> Bool {
        var depth = 0
        var hasSeveral = false
        var mayGoOn = true
        for line in lines {
            guard mayGoOn || line.drop(while: { $0 == " " }).hasPrefix("where ") else { break }
            var word = ""
            for character in line + " " {
                if character.isLetter {
                    word.append(character)
                    continue
                }
                if word == "where", depth == 0 { return hasSeveral }
                word = ""
                switch character {
                case "(", "[": depth += 1
                case ")", "]": depth -= 1
                case "," where depth == 0: hasSeveral = true
                case ":" where depth == 0: return false
                default: break
                }
            }
            mayGoOn = depth > 0 || line.hasSuffix(",")
        }
        return false
    }

    /// Finds sleeping tests. The lab simulates the clock of explored code, so its tests may sleep.
    static func sleeping(_ file: SourceFile) -> [Violation] {
        guard file.isTest, file.module != "TidyTests", file.module != "LabCodeTests" else {
            return []
        }
        return lines(file) { _, line in
            let sleeps =
                ["sleep", "usleep", "nanosleep"].contains { calls(line, $0) }
                || line.contains("Task.sleep") || line.contains("Thread.sleep")
            return sleeps ? ("sleep", "wait for an event, or step a queue") : nil
        }
    }

    /// Finds markers of unfinished work, also in comments.
    static func markers(_ file: SourceFile) -> [Violation] {
        guard file.module != "TidyTests" else { return [] }
        let marks: Set<String> = ["TODO", "FIXME", "XXX", "HACK"]
        guard marks.contains(where: { file.text.contains($0) }) else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            guard let mark = Words.of(line).first(where: marks.contains) else { return nil }
            return file.violation(index, "marker", "finish the work that \(mark) marks")
        }
    }

    /// Finds a public class or protocol of Core Data that is not in the file with its name.
    static func contractFiles(_ file: SourceFile) -> [Violation] {
        guard file.isSource else { return [] }
        if file.baseName.hasPrefix("NS") {
            let type = String(file.baseName.prefix { $0 != "+" })
            guard !Types.declaredOrExtended(in: file).contains(type) else { return [] }
            return [file.violation(0, "file-name", "declare or extend \(type), or rename the file")]
        }
        return file.code.enumerated().compactMap { index, line in
            guard line.hasPrefix("public ") || line.hasPrefix("open ") else { return nil }
            let words = Words.of(line)
            guard let keyword = words.firstIndex(where: ["class", "protocol"].contains),
                keyword + 1 < words.count, words[keyword + 1].hasPrefix("NS")
            else { return nil }
            return file.violation(
                index, "file-name", "move \(words[keyword + 1]) into a file of its name")
        }
    }

    private static func lines(
        _ file: SourceFile, _ rule: (Int, String) -> (rule: String, fix: String)?
    ) -> [Violation] {
        file.code.enumerated().compactMap { index, line in
            rule(index, line).map { file.violation(index, $0.rule, $0.fix) }
        }
    }

    private static func explains(_ comment: String) -> Bool {
        comment.contains("because") || comment.contains("// Safe:")
    }

    /// Whether a line calls a free function. A method with the same name and the declaration of the
    /// function do not count.
    private static func calls(_ line: String, _ name: String) -> Bool {
        guard let range = line.range(of: name + "(") else { return false }
        let before = line[..<range.lowerBound]
        if before.hasSuffix("func ") { return false }
        guard let last = before.last else { return true }
        return !(last.isLetter || last.isNumber || last == "." || last == "_")
    }

    private static func forcedOperation(_ line: String) -> String? {
        guard line.utf8.contains(UInt8(ascii: "!")) else { return nil }
        if line.contains("try!") { return "'try!'" }
        if line.contains("as!") { return "'as!'" }
        // Signatures of Core Data have types such as `String!`.
        let declaration = line.drop { $0 == " " }
        let isContract = declaration.hasPrefix("public ") || declaration.hasPrefix("open ")
        var previous: Character = " "
        var iterator = line.makeIterator()
        var current = iterator.next()
        while let character = current {
            let next = iterator.next()
            let follows = previous.isLetter || previous.isNumber || ")]_>}\"".contains(previous)
            let isSignature = isContract && (next == nil || next == " " || next == ",")
            if character == "!", follows, next != "=", !isSignature { return "'!'" }
            previous = character
            current = next
        }
        return nil
    }
}
