import CoreData

/// A container with one store file.
class Stack {
    let container: NSPersistentContainer

    init(folder: URL) throws {
        container = NSPersistentContainer(name: "Notes", managedObjectModel: Stack.model)
        let description = NSPersistentStoreDescription(
            url: folder.appendingPathComponent("Notes.sqlite"))
        container.persistentStoreDescriptions = [description]
        var failure: Error?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    }

    var viewContext: NSManagedObjectContext { container.viewContext }

    static let model: NSManagedObjectModel = {
        let text = attribute("text", .stringAttributeType)
        let stars = attribute("stars", .integer64AttributeType)
        stars.defaultValue = 0
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = NSStringFromClass(Note.self)
        let folder = NSEntityDescription()
        folder.name = "Folder"
        folder.managedObjectClassName = NSStringFromClass(Folder.self)
        let home = NSRelationshipDescription()
        home.name = "folder"
        home.destinationEntity = folder
        home.maxCount = 1
        home.deleteRule = .nullifyDeleteRule
        let notes = NSRelationshipDescription()
        notes.name = "notes"
        notes.destinationEntity = note
        notes.deleteRule = .cascadeDeleteRule
        home.inverseRelationship = notes
        notes.inverseRelationship = home
        note.properties = [text, stars, attribute("created", .dateAttributeType), home]
        folder.properties = [attribute("name", .stringAttributeType), notes]
        let model = NSManagedObjectModel()
        model.entities = [note, folder]
        return model
    }()

    private static func attribute(
        _ name: String, _ type: NSAttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
}
