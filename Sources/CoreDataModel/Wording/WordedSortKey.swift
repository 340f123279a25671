import CoreDataPredicate

/// A sort key in the form in which a user writes it: `name`, `name asc` or `author.name desc`.
///
/// Workload files and fetches of the command line use it.
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

    /// The keys that refer to the object itself at the end of a path.
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
    /// The names of the attributes and to-one relationships that have a column, sorted.
    fileprivate var storedNames: [String] {
        values.filter { $0.column != nil }.map(\.name).sorted()
    }
}
