import CoreDataModel
import Foundation

func entity(_ name: String, _ properties: [NSPropertyDescription] = []) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
}

func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType, transient: Bool = false
) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isTransient = transient
    return attribute
}

func toOne(_ name: String, _ destination: NSEntityDescription) -> NSRelationshipDescription {
    let relationship = toMany(name, destination)
    relationship.maxCount = 1
    return relationship
}

func toMany(
    _ name: String, _ destination: NSEntityDescription, ordered: Bool = false
) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.isOrdered = ordered
    return relationship
}

func pair(_ a: NSRelationshipDescription, _ b: NSRelationshipDescription) {
    a.inverseRelationship = b
    b.inverseRelationship = a
}

func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
}

/// The first version of the bookmarks model.
func bookmarks() -> NSManagedObjectModel {
    let bookmark = entity("BookmarkEntity")
    let children = toMany("children", bookmark, ordered: true)
    children.deleteRule = .cascadeDeleteRule
    let parent = toOne("parent", bookmark)
    let favorites = toMany("favorites", bookmark, ordered: true)
    let favoriteFolder = toOne("favoriteFolder", bookmark)
    pair(children, parent)
    pair(favorites, favoriteFolder)
    bookmark.properties = [
        attribute("isFavorite", .booleanAttributeType),
        attribute("isFolder", .booleanAttributeType),
        attribute("title"), attribute("url"), attribute("uuid"),
        children, favoriteFolder, favorites, parent,
    ]
    return model([bookmark])
}

/// All entities that are stored in the table are included.
func columns(_ layout: ModelLayout, of table: String) -> Set<String> {
    var found: Set<String> = []
    for entity in layout.entities {
        if entity.tableName == table {
            for slot in entity.values {
                found.formUnion([slot.column, slot.toOne?.entityColumn].compactMap { $0 })
            }
        }
        for slot in entity.toMany where layout[slot.destinationIndex].tableName == table {
            guard case .foreignKey(let column, let entityColumn, let order) = slot.storage else {
                continue
            }
            found.formUnion([column, entityColumn, order].compactMap { $0 })
        }
    }
    return found
}
