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
                append("Z_\(name)_\(index.name)", index.elements, slot)
            }
            for property in declaring.ownValueProperties
            where property.wantsIndex && property is NSAttributeDescription {
                guard let slot = slot(property), !property.isTransient else { continue }
                add(
                    IndexLayout(
                        name: "Z_\(name)_\(property.name)",
                        elements: [IndexLayout.Element(slot: slot, isAscending: true)]))
            }
        }
    }

    private mutating func append(
        _ name: String, _ elements: [NSFetchIndexElementDescription],
        _ slot: (NSPropertyDescription) -> Int?
    ) {
        let parts = elements.compactMap { element in
            element.property.flatMap(slot).map {
                IndexLayout.Element(slot: $0, isAscending: element.isAscending)
            }
        }
        guard !parts.isEmpty else { return }
        add(IndexLayout(name: name, elements: parts))
    }

    private mutating func add(_ index: IndexLayout) {
        if !indexes.contains(where: { $0.name == index.name }) { indexes.append(index) }
    }
}
