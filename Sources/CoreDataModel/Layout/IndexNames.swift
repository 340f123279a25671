import CoreDataPredicate

/// The constraints and indexes of one entity, including inherited ones, with their names.
///
/// The name of an inherited constraint contains the entity that declares it. So the index on the
/// shared table is created only once.
struct IndexNames {
    private(set) var constraints: [UniquenessConstraint] = []
    private(set) var indexes: [IndexLayout] = []

    /// - Parameter slot: returns the value slot of a property.
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
                append("Z_\(name)_\(index.name)", index) { property in
                    Self.subject(property, properties, slot)
                }
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

    /// The value that an index element orders. Nil for a property without a column, such as a
    /// to-many relationship, which an index cannot contain.
    private static func subject(
        _ property: NSPropertyDescription, _ properties: [String: NSPropertyDescription],
        _ slot: (NSPropertyDescription) -> Int?
    ) -> IndexLayout.Element.Subject? {
        guard let computed = property as? NSExpressionDescription else {
            return slot(property).map { .slot($0) }
        }
        guard let expression = computed.expression else { return nil }
        if case .keyPath(let keys) = expression.node, keys.count == 1,
            let named = properties[keys[0]]
        {
            return slot(named).map { .slot($0) }
        }
        return .expression(expression)
    }

    private mutating func append(
        _ name: String, _ index: NSFetchIndexDescription,
        _ subject: (NSPropertyDescription) -> IndexLayout.Element.Subject?
    ) {
        let parts = index.elements.compactMap { element in
            element.property.flatMap(subject).map {
                IndexLayout.Element($0, isAscending: element.isAscending)
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
