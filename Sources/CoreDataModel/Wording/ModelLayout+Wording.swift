/// Finds the entities and relationships that a user names in a workload file or on the command
/// line.
extension ModelLayout {
    package func entity(worded name: String) throws(WordingError) -> EntityLayout {
        if let entity = entity(named: name) { return entity }
        throw WordingError(
            "the entity '\(name)' does not exist", oneOf: entities.map(\.name).sorted())
    }

    /// The names in a key path of relationships, such as `books.publisher`. Each name is a
    /// relationship of the previous name's destination.
    ///
    /// - Parameter entity: the start of the path.
    package func relationshipPath(
        worded text: String, from entity: EntityLayout
    ) throws(WordingError) -> [String] {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var level = entity
        for name in names {
            guard let next = level.destinationIndex(of: name) else {
                throw WordingError(
                    "'\(name)' in '\(text)' is not a relationship of \(level.name)",
                    oneOf: level.relationshipNames)
            }
            level = self[next]
        }
        return names
    }
}
