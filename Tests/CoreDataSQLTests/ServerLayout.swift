import CoreDataModel
import CoreDataSQL

extension ModelLayout {
    /// The layout with the names of the model for tables and columns, as on a server.
    var withModelNames: ModelLayout {
        ModelLayout(
            entities: entities.map { entity in
                EntityLayout(
                    name: entity.name, index: entity.index, rootIndex: entity.rootIndex,
                    superIndex: entity.superIndex, familyRange: entity.familyRange,
                    isAbstract: entity.isAbstract,
                    tableName: quoted(entities[entity.rootIndex].name),
                    values: entity.values.map(value),
                    toMany: entity.toMany.map { toMany($0, entity) },
                    uniquenessConstraints: entity.uniquenessConstraints, indexes: entity.indexes)
            })
    }

    private func quoted(_ name: String) -> String {
        name == name.lowercased() ? name : "\"\(name)\""
    }

    private func value(_ slot: ValueSlot) -> ValueSlot {
        ValueSlot(
            name: slot.name, kind: slot.kind, isTransient: slot.isTransient,
            isOptional: slot.isOptional, column: slot.column.map { _ in quoted(slot.name) },
            toOne: slot.toOne.map { toOne in
                ToOneLayout(
                    destinationIndex: toOne.destinationIndex,
                    entityColumn: toOne.entityColumn.map { _ in "\(slot.name)_entity" },
                    inverse: toOne.inverse, deleteBehavior: toOne.deleteBehavior)
            })
    }

    private func toMany(_ slot: ToManySlot, _ entity: EntityLayout) -> ToManySlot {
        let destination = entities[slot.destinationIndex]
        switch slot.storage {
        case .foreignKey(_, _, let order):
            guard case .value(let inverse) = slot.inverse else { return slot }
            return slot.withStorage(
                .foreignKey(
                    column: quoted(destination.values[inverse].name), entityColumn: nil,
                    orderColumn: order.map { _ in "\(slot.name)_order" }))
        case .joinTable:
            let names = [entity.name, destination.name].sorted().joined(separator: "_")
            return slot.withStorage(
                .joinTable(
                    table: quoted(names), ownerColumn: quoted(entity.name),
                    destinationColumn: quoted(destination.name), orderColumn: nil,
                    inverseOrderColumn: nil))
        case .none: return slot
        }
    }
}

enum ServerStore {
    static let schema = schema(makeModel(), ServerDialect())
    static let typedSchema = schema(makeModel(), ServerDialect(isTyped: true))

    private static func schema(
        _ model: NSManagedObjectModel, _ dialect: ServerDialect
    ) -> StoreSchema {
        do {
            try model.freeze()
        } catch {
            preconditionFailure("the test's model is not valid: \(error)")
        }
        let layout = model.layout.withModelNames
        return StoreSchema(
            layout: layout, numbers: EntityNumbers(inOrderOf: layout),
            names: RowNames(key: "id", entity: "entity", version: "version"),
            dialect: dialect)
    }

    /// A model of books with tags, ordered chapters, and a subentity.
    private static func makeModel() -> NSManagedObjectModel {
        let author = entity("Author", [("born", .integer32AttributeType)])
        let book = entity(
            "Book",
            [
                ("isRead", .booleanAttributeType), ("isbn", .stringAttributeType),
                ("pages", .integer32AttributeType), ("price", .decimalAttributeType),
                ("title", .stringAttributeType),
            ])
        let comic = entity("Comic", [("colours", .integer16AttributeType)])
        let tag = entity("Tag", [("name", .stringAttributeType)])
        let chapter = entity("Chapter", [("name", .stringAttributeType)])
        book.subentities = [comic]
        book.uniquenessConstraints = [["isbn"]]
        relate(author, "books", isMany: true, book, "author", isMany: false)
        relate(book, "tags", isMany: true, tag, "books", isMany: true)
        relate(book, "chapters", isMany: true, chapter, "book", isMany: false)
        book.relationshipsByName["chapters"]?.isOrdered = true
        let model = NSManagedObjectModel()
        model.entities = [author, book, comic, tag, chapter]
        return model
    }

    private static func entity(
        _ name: String, _ attributes: [(name: String, type: NSAttributeType)]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        return entity
    }

    private static func relate(
        _ left: NSEntityDescription, _ leftName: String, isMany leftIsMany: Bool,
        _ right: NSEntityDescription, _ rightName: String, isMany rightIsMany: Bool
    ) {
        let first = relationship(leftName, to: right, isMany: leftIsMany)
        let second = relationship(rightName, to: left, isMany: rightIsMany)
        first.inverseRelationship = second
        second.inverseRelationship = first
        left.properties.append(first)
        right.properties.append(second)
    }

    private static func relationship(
        _ name: String, to destination: NSEntityDescription, isMany: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = isMany ? 0 : 1
        relationship.deleteRule = .nullifyDeleteRule
        relationship.isOptional = true
        return relationship
    }
}
