import CoreDataPredicate

/// A sort key as a user writes it in a workload file or on the command line: `name`, `name asc` or
/// `author.name desc`.
package struct WordedSortKey: Sendable, Equatable {
    package let keyPath: String
    package let isAscending: Bool

    /// Parses a sort key and checks its key path, so that a store does not reject it later.
    ///
    /// - Parameter entity: the entity whose objects are sorted.
    package init(
        worded text: String, of entity: EntityLayout, in layout: ModelLayout
    ) throws(WordingError) {
        let words = text.split(separator: " ").map(String.init)
        let direction = words.count == 2 ? words[1].lowercased() : "asc"
        guard let keyPath = words.first, words.count <= 2, ["asc", "desc"].contains(direction)
        else { throw WordingError("'\(text)' is not a sort key", "write 'name' or 'name desc'") }
        self.keyPath = keyPath
        isAscending = direction == "asc"
        try Self.follow(keyPath, from: entity, in: layout)
    }

    package var descriptor: NSSortDescriptor {
        NSSortDescriptor(key: keyPath, ascending: isAscending)
    }

    /// The keys that may end a path and mean the object itself.
    private static let identities: Set<String> = ["self", "SELF", "objectID"]

    private static func follow(
        _ keyPath: String, from entity: EntityLayout, in layout: ModelLayout
    ) throws(WordingError) {
        var names = keyPath.split(separator: ".", omittingEmptySubsequences: false)
            .map(String.init)[...]
        var level = entity
        while let name = names.popFirst() {
            if level.toManySlot(named: name) != nil {
                throw WordingError(
                    "\(level.name).\(name) is to-many, so it cannot sort objects",
                    oneOf: level.storedNames)
            }
            if names.isEmpty {
                guard !level.storedNames.contains(name), !identities.contains(name) else { return }
                throw WordingError(
                    "\(level.name) has no stored attribute '\(name)'", oneOf: level.storedNames)
            }
            guard let next = level.destinationIndex(of: name) else {
                throw WordingError(
                    "'\(name)' in '\(keyPath)' is not a relationship of \(level.name)",
                    oneOf: level.storedNames)
            }
            level = layout[next]
        }
    }
}

extension EntityLayout {
    fileprivate var storedNames: [String] {
        values.filter { $0.column != nil }.map(\.name).sorted()
    }
}
