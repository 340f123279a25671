import CoreData
import CoreDataDocuments

func diaryModel() -> NSManagedObjectModel {
    let text = NSAttributeDescription()
    text.name = "text"
    text.attributeType = .stringAttributeType
    let page = NSEntityDescription()
    page.name = "Page"
    page.managedObjectClassName = NSStringFromClass(Page.self)
    page.properties = [text]
    let model = NSManagedObjectModel()
    model.entities = [page]
    return model
}

class Page: NSManagedObject {
    var text: String? {
        get { value(forKey: "text") as? String }
        set { setValue(newValue, forKey: "text") }
    }
}

/// A document of an iOS app. It stores a drawing next to its store.
class DiaryDocument: UIManagedDocument {
    private let model = diaryModel()
    var drawing = "empty"
    private(set) var failures: [Error] = []

    override var managedObjectModel: NSManagedObjectModel { model }

    override class var persistentStoreName: String { "diary.sqlite" }

    override func additionalContent(for absoluteURL: URL) throws -> Any { drawing }

    override func writeAdditionalContent(
        _ content: Any, to absoluteURL: URL, originalContentsURL absoluteOriginalContentsURL: URL?
    ) throws {
        let data = Data((content as? String ?? "").utf8)
        try FileManager.default.createDirectory(at: absoluteURL, withIntermediateDirectories: true)
        try data.write(to: absoluteURL.appendingPathComponent("drawing"))
    }

    override func handleError(_ error: Error, userInteractionPermitted: Bool) {
        failures.append(error)
        super.handleError(error, userInteractionPermitted: userInteractionPermitted)
    }
}

/// A document of a macOS app. Its file is the store itself.
class DeskDocument: NSPersistentDocument {
    private let model = diaryModel()

    override var managedObjectModel: NSManagedObjectModel? { model }

    override func configurePersistentStoreCoordinator(
        for url: URL, ofType fileType: String, modelConfiguration configuration: String?,
        storeOptions: [String: Any]? = nil
    ) throws {
        var options = storeOptions ?? [:]
        options[NSMigratePersistentStoresAutomaticallyOption] = true
        options[NSInferMappingModelAutomaticallyOption] = true
        try super.configurePersistentStoreCoordinator(
            for: url, ofType: fileType, modelConfiguration: configuration, storeOptions: options)
    }
}
