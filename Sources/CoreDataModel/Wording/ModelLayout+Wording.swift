/// Reading entities and key paths of relationships as users word them. Workload files and
/// fetches of the command line ask it.
extension ModelLayout {
    /// The entity of a name that a user wrote.
    package func entity(worded name: String) throws(WordingError) -> EntityLayout {
        if let entity = entity(named: name) { return entity }
        throw WordingError("there is no entity '\(name)'", oneOf: entities.map(\.name).sorted())
    }

    /// The names in a key path of relationships, such as `books.publisher`, of which each belongs
    /// to the entity that the one before leads to.
    ///
    /// - Parameter entity: where the path begins.
    package func relationshipPath(
        worded text: String, from entity: EntityLayout
    ) throws(WordingError) -> [String] {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var level = entity
        for name in names {
            guard let next = level.destinationIndex(of: name) else {
                throw WordingError(
                    "'\(name)' in '\(text)' is no relationship of \(level.name)",
                    oneOf: level.relationshipNames)
            }
            level = self[next]
        }
        return names
    }
}
