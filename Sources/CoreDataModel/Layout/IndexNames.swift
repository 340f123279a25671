/// The constraints and indexes of one entity, inherited ones included, with their names.
///
/// Used by the layout builder. An inherited constraint keeps the name that its declaring entity
/// gives it, so that the one index on the shared table is made once.
struct IndexNames {
    private(set) var constraints: [UniquenessConstraint] = []
    private(set) var indexes: [IndexLayout] = []

    /// - Parameter slot: the value slot of a property.
    init(_ entity: NSEntityDescription, slot: (NSPropertyDescription) -> Int?) {
        let properties = NSEntityDescription.byName(entity.properties)
        for declaring in entity.ancestors.reversed() + [entity] {
            let name = declaring.name ?? ""
            for members in declaring.constraintNames {
                let constraint = UniquenessConstraint(
                    slots: members.compactMap { properties[$0].flatMap(slot) },
                    indexName: "Z_\(name)_UNIQUE_\(members.joined(separator: "_"))")
                if !constraints.contains(constraint) { constraints.append(constraint) }
            }
            for index in declaring.indexes {
                append("Z_\(name)_\(index.name)", index, slot)
            }
            for member in declaring.ownValueProperties
            where member.property.wantsIndex && member.property is NSAttributeDescription {
                guard let slot = slot(member.property), !member.isTransient else { continue }
                add(
                    IndexLayout(
                        name: "Z_\(name)_\(member.name)",
                        elements: [IndexLayout.Element(slot: slot, isAscending: true)]))
            }
        }
    }

    private mutating func append(
        _ name: String, _ index: NSFetchIndexDescription, _ slot: (NSPropertyDescription) -> Int?
    ) {
        // What has no column, such as a to-many relationship, is no part of it.
        let parts = index.elements.compactMap { element in
            element.property.flatMap(slot).map {
                IndexLayout.Element(slot: $0, isAscending: element.isAscending)
            }
        }
        guard !parts.isEmpty else { return }
        add(
            IndexLayout(
                name: name, elements: parts,
                isSpatial: index.elements.contains { $0.collationType == .rTree },
                condition: index.partialIndexPredicate))
    }

    private mutating func add(_ index: IndexLayout) {
        if !indexes.contains(where: { $0.name == index.name }) { indexes.append(index) }
    }
}
