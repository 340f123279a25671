/// The properties of each entity in the order of a history's rows, inherited properties first.
struct RowLayout {
    let entities: [(name: String, keys: [String])]
    /// For each entity, the inverse slot of each one-to-one relationship.
    let partners: [[Int: Int]]
    private let numbers: [String: Int]

    init(_ all: [RecordedEntity], _ names: ModelNames) {
        let entities = all.map { entity in
            (
                name: entity.name,
                keys: names.line(of: entity.name).reversed().flatMap { above in
                    above.attributes.filter { !$0.isTransient }.map(\.name)
                        + above.relationships.filter { $0.count == .one }.map(\.name)
                }
            )
        }
        let numbers = Dictionary(
            entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.entities = entities
        self.numbers = numbers
        partners = entities.map { entity in
            var found: [Int: Int] = [:]
            for (slot, key) in entity.keys.enumerated() {
                guard let relationship = names.relationship(key, of: entity.name),
                    let inverse = relationship.inverse,
                    let other = numbers[relationship.destination]
                else { continue }
                found[slot] = entities[other].keys.firstIndex(of: inverse)
            }
            return found
        }
    }

    /// The entity's index; the first one for an unknown entity.
    func index(of entity: String) -> Int { numbers[entity] ?? 0 }

    func keys(of entity: String) -> [String] {
        numbers[entity].map { entities[$0].keys } ?? []
    }
}
