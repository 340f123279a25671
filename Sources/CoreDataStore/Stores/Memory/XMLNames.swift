import CoreDataModel

/// The names that XML stores use for entities and properties. Entities are in upper case and
/// properties in lower case, unless two names would become equal.
struct XMLNames {
    package enum Property {
        case value(Int)
        case toMany(Int)
    }

    private let layout: ModelLayout
    private let entityNames: [String]
    private let entities: [String: EntityLayout]
    private let properties: [[String: Property]]
    private let valueNames: [[String]]
    private let toManyNames: [[String]]

    package init(_ layout: ModelLayout) {
        self.layout = layout
        let names = Self.distinct(layout.entities.map(\.name)) { $0.uppercased() }
        entityNames = names
        entities = Dictionary(
            zip(names, layout.entities), uniquingKeysWith: { first, _ in first })
        let all = layout.entities.map { entity in
            Self.distinct(entity.values.map(\.name) + entity.toMany.map(\.name)) {
                $0.lowercased()
            }
        }
        valueNames = zip(all, layout.entities).map { Array($0.prefix($1.values.count)) }
        toManyNames = zip(all, layout.entities).map { Array($0.dropFirst($1.values.count)) }
        properties = zip(valueNames, toManyNames).map { values, toMany in
            var table: [String: Property] = [:]
            for (slot, name) in values.enumerated() { table[name] = .value(slot) }
            for (slot, name) in toMany.enumerated() { table[name] = .toMany(slot) }
            return table
        }
    }

    private static func distinct(
        _ names: [String], _ fold: (String) -> String
    ) -> [String] {
        let counts = Dictionary(names.map { (fold($0), 1) }, uniquingKeysWith: +)
        return names.map { counts[fold($0)] == 1 ? fold($0) : $0 }
    }

    package func name(of entity: Int) -> String { entityNames[entity] }

    package func entity(_ name: String) -> EntityLayout? { entities[name] }

    package func values(of entity: EntityLayout) -> [String] { valueNames[entity.index] }

    package func toMany(of entity: EntityLayout) -> [String] { toManyNames[entity.index] }

    /// The stored property of that name; transient properties are not stored.
    package func property(_ name: String, of entity: EntityLayout) -> Property? {
        guard let property = properties[entity.index][name] else { return nil }
        switch property {
        case .value(let slot): return entity.values[slot].isTransient ? nil : property
        case .toMany(let slot): return entity.toMany[slot].isTransient ? nil : property
        }
    }

    package func destination(of property: Property, _ entity: EntityLayout) -> Int? {
        switch property {
        case .value(let slot): entity.values[slot].toOne?.destinationIndex
        case .toMany(let slot): entity.toMany[slot].destinationIndex
        }
    }
}
