/// Creates the layout of a model, in which numbers replace names.
///
/// Used once, when the model is frozen. The model has passed all checks, so every name refers to an
/// existing property or entity.
struct LayoutBuilder {
    private enum Slot {
        case value(Int)
        case toMany(Int)
    }

    private let order: EntityOrder
    private let names: ColumnNames
    private var slots: [ObjectIdentifier: Slot] = [:]
    /// The properties that have slots, by entity index, inherited properties first.
    private var valueProperties: [[SlotProperty]] = []
    private var toManyProperties: [[NSRelationshipDescription]] = []

    init(_ model: NSManagedObjectModel) {
        order = EntityOrder(model)
        names = ColumnNames(order)
        for entity in order.entities { number(entity) }
    }

    private mutating func number(_ entity: NSEntityDescription) {
        let superIndex = entity.superentity.flatMap { order.index(of: $0) }
        var values = superIndex.map { valueProperties[$0] } ?? []
        var toMany = superIndex.map { toManyProperties[$0] } ?? []
        for property in entity.ownValueProperties {
            slots[ObjectIdentifier(property.property)] = .value(values.count)
            values.append(property)
        }
        for relationship in entity.ownRelationships where relationship.isToMany {
            slots[ObjectIdentifier(relationship)] = .toMany(toMany.count)
            toMany.append(relationship)
        }
        valueProperties.append(values)
        toManyProperties.append(toMany)
    }

    func build() -> (layout: ModelLayout, entities: [NSEntityDescription]) {
        let layouts = order.entities.indices.map(layout)
        let made = ModelLayout(entities: layouts)
        assert(made.brokenInvariant() == nil, made.brokenInvariant() ?? "")
        return (made, order.entities)
    }

    private func layout(at index: Int) -> EntityLayout {
        let entity = order.entities[index]
        let root = order.index(of: entity.ancestors.last ?? entity) ?? index
        let indexes = IndexNames(entity, slot: { valueSlot(of: $0) })
        return EntityLayout(
            name: entity.name ?? "", index: index, rootIndex: root,
            superIndex: entity.superentity.flatMap { order.index(of: $0) },
            familyRange: index..<order.familyEnds[index], isAbstract: entity.isAbstract,
            tableName: names.tables[root] ?? "",
            values: valueProperties[index].map { valueSlot($0, of: entity) },
            toMany: toManyProperties[index].map(toManySlot),
            uniquenessConstraints: indexes.constraints, indexes: indexes.indexes)
    }

    private func valueSlot(of property: NSPropertyDescription) -> Int? {
        if case .value(let slot) = slots[ObjectIdentifier(property)] { return slot }
        return nil
    }

    private func valueSlot(
        _ member: SlotProperty, of entity: NSEntityDescription
    ) -> ValueSlot {
        let property = member.property
        let id = ObjectIdentifier(property)
        guard let relationship = property as? NSRelationshipDescription else {
            let attribute = property as? NSAttributeDescription
            return ValueSlot(
                name: member.name, kind: attribute?.attributeType.valueKind ?? .binary,
                coding: attribute?.valueCoding ?? .plain, isTransient: member.isTransient,
                isOptional: member.isOptional,
                column: names.attributes[id],
                isPreservedInHistory: attribute?.preservesValueInHistoryOnDeletion ?? false,
                isExternal: attribute?.allowsExternalBinaryDataStorage ?? false,
                derivation: (attribute as? NSDerivedAttributeDescription)
                    .flatMap { derivation(of: $0, in: entity) })
        }
        let key = names.foreignKeys[id]
        return ValueSlot(
            name: member.name, kind: .toOne, isTransient: member.isTransient,
            isOptional: member.isOptional, column: key?.column,
            toOne: ToOneLayout(
                destinationIndex: destinationIndex(relationship), entityColumn: key?.entityColumn,
                inverse: inverse(relationship), deleteBehavior: relationship.deleteRule.behavior))
    }

    private func derivation(
        of attribute: NSDerivedAttributeDescription, in entity: NSEntityDescription
    ) -> Derivation? {
        guard let expression = attribute.derivationExpression,
            let named = try? DerivationReader(entity).read(expression)
        else { return nil }
        let value = named.value.flatMap { valueSlot(of: $0) }
        let members = named.members.flatMap { toManySlot(of: $0) }
        switch (named.function, value, members) {
        case (.now, _, _): return .now
        case (.value(let form), let value?, _):
            return .value(
                hops: named.hops.compactMap { valueSlot(of: $0) }, slot: value, form: form)
        case (.count, _, let members?): return .count(members: members)
        case (.aggregate(let aggregate), let value?, let members?):
            return .aggregate(aggregate, members: members, slot: value)
        default: return nil
        }
    }

    private func toManySlot(of relationship: NSRelationshipDescription) -> Int? {
        if case .toMany(let slot) = slots[ObjectIdentifier(relationship)] { return slot }
        return nil
    }

    private func toManySlot(_ relationship: NSRelationshipDescription) -> ToManySlot {
        ToManySlot(
            name: relationship.name, destinationIndex: destinationIndex(relationship),
            isOrdered: relationship.isOrdered, isOptional: relationship.isOptional,
            isTransient: relationship.isTransient, inverse: inverse(relationship),
            deleteBehavior: relationship.deleteRule.behavior,
            storage: names.storage(of: relationship))
    }

    private func destinationIndex(_ relationship: NSRelationshipDescription) -> Int {
        relationship.destinationEntity.flatMap { order.index(of: $0) } ?? 0
    }

    private func inverse(_ relationship: NSRelationshipDescription) -> InverseSlot {
        guard let inverse = relationship.inverseRelationship, relationship.isKeptInStep
        else { return .none }
        return switch slots[ObjectIdentifier(inverse)] {
        case .value(let slot): .value(slot)
        case .toMany(let slot): .toMany(slot)
        case nil: .none
        }
    }
}
