import CoreDataModel
import CoreDataStore
import Foundation
import ScenarioWriting

/// Converts a managed object model into the form of a recording.
enum ModelReading {
    static func entities(_ frozen: FrozenModel) -> [RecordedEntity] {
        frozen.layout.entities.map { layout in
            entity(layout, frozen.entities[layout.index], frozen.layout)
        }
    }

    private static func entity(
        _ layout: EntityLayout, _ description: NSEntityDescription, _ model: ModelLayout
    ) -> RecordedEntity {
        let above = layout.superIndex.map { model[$0] }
        let firstValue = above?.values.count ?? 0
        let firstToMany = above?.toMany.count ?? 0
        let own = layout.values.indices.dropFirst(firstValue)
        let attributes = own.filter { layout.values[$0].kind != .toOne }.map {
            attribute(layout.values[$0], description)
        }
        let toOne = own.compactMap { slot -> RecordedRelationship? in
            let value = layout.values[slot]
            guard let target = value.toOne else { return nil }
            let destination = model[target.destinationIndex]
            return RecordedRelationship(
                value.name, .one, to: destination.name,
                inverse: name(target.inverse, in: destination),
                deleteRule: rule(target.deleteBehavior))
        }
        let toMany = layout.toMany.dropFirst(firstToMany).map { slot in
            let destination = model[slot.destinationIndex]
            return RecordedRelationship(
                slot.name, slot.isOrdered ? .ordered : .many, to: destination.name,
                inverse: name(slot.inverse, in: destination), deleteRule: rule(slot.deleteBehavior))
        }
        let unique = layout.uniquenessConstraints.filter { constraint in
            above?.uniquenessConstraints.contains(constraint) != true
        }
        return RecordedEntity(
            layout.name, parent: above?.name, isAbstract: layout.isAbstract,
            attributes: attributes, relationships: toOne + toMany,
            unique: unique.map { $0.slots.map { layout.values[$0].name } })
    }

    private static func attribute(
        _ slot: ValueSlot, _ description: NSEntityDescription
    ) -> RecordedAttribute {
        let found = description.attributesByName[slot.name]
        let given = found?.defaultValue.flatMap { QueryReading.value($0) }
        return RecordedAttribute(
            slot.name, slot.coding == .plain ? kind(slot.kind) : nil,
            isRequired: !slot.isOptional, isTransient: slot.isTransient,
            default: given.map { typed($0, slot.kind) } ?? .null)
    }

    private static func typed(_ value: RecordedValue, _ kind: ValueKind) -> RecordedValue {
        if kind == .boolean, case .integer(let number) = value { return .flag(number != 0) }
        return value
    }

    private static func name(_ inverse: InverseSlot, in entity: EntityLayout) -> String? {
        switch inverse {
        case .none: nil
        case .value(let slot): entity.values[slot].name
        case .toMany(let slot): entity.toMany[slot].name
        }
    }

    private static func rule(_ behavior: DeleteBehavior) -> RecordedRelationship.DeleteRule {
        switch behavior {
        case .noAction: .noAction
        case .nullify: .nullify
        case .cascade: .cascade
        case .deny: .deny
        }
    }

    private static func kind(_ kind: ValueKind) -> RecordedAttribute.Kind? {
        switch kind {
        case .integer16: .integer16
        case .integer32: .integer32
        case .integer64: .integer64
        case .boolean: .boolean
        case .double: .double
        case .float: .float
        case .date: .date
        case .decimal: .decimal
        case .string: .string
        case .uri: .uri
        case .uuid: .uuid
        case .binary: .binary
        case .toOne: nil
        }
    }
}
