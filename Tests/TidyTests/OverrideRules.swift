import Foundation

/// Finds members that Core Data lets programs override, and that the client package does not.
enum OverrideRules {
    /// The classes of the client package. Each overrides the members of certain classes of the
    /// engine.
    private static let pairs = [
        ("EveryContext", ["NSManagedObjectContext"]), ("EveryObject", ["NSManagedObject"]),
        ("EveryCoordinator", ["NSPersistentStoreCoordinator"]),
        ("EveryContainer", ["NSPersistentContainer"]),
        ("EveryIncrementalStore", ["NSPersistentStore", "NSIncrementalStore"]),
        ("EveryAtomicStore", ["NSPersistentStore", "NSAtomicStore"]),
        ("EveryController", ["NSFetchedResultsController"]),
    ]

    private static let folder = "Tests/Clients/Overrides/Sources/"

    static func check(_ files: [SourceFile]) -> [Violation] {
        pairs.flatMap { client, names in
            let clients = files.filter { $0.path.hasPrefix(folder) }
            guard let place = clients.compactMap({ body(of: client, in: $0) }).first else {
                return [Violation(path: folder, line: 1, rule: "override", fix: "add \(client)")]
            }
            let overridden = counts(place.lines, "override")
            let opened = names.flatMap { name in
                files.filter(\.isSource).compactMap { body(of: name, in: $0) }
            }
            if opened.count < names.count {
                return [
                    place.file.violation(0, "override", "find the classes \(names) again")
                ]
            }
            // If two of the classes declare the same member, one override is sufficient.
            var wanted: [String: Int] = [:]
            for one in opened { wanted.merge(counts(one.lines, "open"), uniquingKeysWith: max) }
            return wanted.sorted { $0.key < $1.key }
                .filter { overridden[$0.key, default: 0] < $0.value }
                .map { member, count in
                    place.file.violation(
                        place.line, "override",
                        "override \(member) in \(client), \(count) of that name are open")
                }
        }
    }

    /// Finds designated initialisers of open classes that are visible only in this package, because
    /// subclasses then inherit no initialiser. Stores and asynchronous results are left out:
    /// programs do not create them.
    static func hiddenInitializers(_ file: SourceFile) -> [Violation] {
        guard file.isSource, file.module?.hasPrefix("CoreData") == true else { return [] }
        var isOpen = false
        return file.code.indices.compactMap { index in
            let line = file.code[index]
            if !line.hasPrefix(" "), line.contains("class ") {
                let isLeftOut = ["Store:", "StoreAsynchronousResult:"].contains {
                    line.contains("class NSPersistent" + $0)
                }
                isOpen = line.hasPrefix("open class ") && !isLeftOut
            }
            if line.hasPrefix("}") { isOpen = false }
            let words = Words.of(String(line.prefix { $0 != "(" && $0 != "<" }))
            guard isOpen, line.hasPrefix("    "), !line.hasPrefix("     "),
                words.last == "init",
                !["convenience", "public"].contains(where: words.contains)
            else { return nil }
            return file.violation(
                index, "hidden-init", "make it a convenience initialiser, or public")
        }
    }

    /// The lines of a class that is declared at the start of a line.
    private static func body(
        of name: String, in file: SourceFile
    ) -> (file: SourceFile, line: Int, lines: ArraySlice<String>)? {
        let start = file.code.firstIndex { line in
            guard !line.hasPrefix(" "), let range = line.range(of: "class \(name)") else {
                return false
            }
            let next = line[range.upperBound...].first
            return next == ":" || next == "<"
        }
        guard let start, let end = file.code[start...].firstIndex(of: "}") else { return nil }
        return (file, start, file.code[start..<end])
    }

    /// The number of declarations of each member that begin with a word such as `open`.
    private static func counts(_ lines: ArraySlice<String>, _ word: String) -> [String: Int] {
        var found: [String: Int] = [:]
        for line in lines where line.hasPrefix("    \(word) ") {
            guard
                let match = line.firstMatch(
                    of: /^ {4}\w+ (?:override )?(?:class )?(?:func|var) (\w+)/)
            else { continue }
            found[String(match.1), default: 0] += 1
        }
        return found
    }
}
