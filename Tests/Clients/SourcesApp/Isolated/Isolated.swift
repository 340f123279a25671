import CoreData

@objc(IsolatedNote) nonisolated class IsolatedNote: NSManagedObject {
    @NSManaged var text: String?
    @objc var loud: String { (text ?? "").uppercased() }
    static let path = #keyPath(IsolatedNote.text)
    @objc func validateText(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        if (value.pointee as? String)?.isEmpty == true { throw CocoaError(.featureUnsupported) }
    }
}

nonisolated extension IsolatedNote {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue("awake", forKey: #keyPath(text))
    }
}

/// The class is isolated to the main actor, which is this target's default.
final class Listener {
    var told = 0
    func watch(_ center: NotificationCenter) {
        center.addObserver(
            self, selector: #selector(changed(_:)), name: Notification.Name("isolated"),
            object: nil)
    }
    @objc func changed(_ notification: Notification) { told += 1 }
}

@objc protocol IsolatedDelegate { @objc optional func ended() -> Int }
final class Ending: IsolatedDelegate { func ended() -> Int { 3 } }

@main enum Main {
    static func main() throws {
        let entity = NSEntityDescription()
        entity.name = "Note"
        entity.managedObjectClassName = "IsolatedNote"
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        text.isOptional = true
        entity.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let note = IsolatedNote(context: context)
        var rights = [note.text == "awake", note.value(forKey: "loud") as? String == "AWAKE"]
        note.text = ""
        rights.append((try? context.save()) == nil)
        let listener = Listener()
        let center = NotificationCenter()
        listener.watch(center)
        center.post(name: Notification.Name("isolated"), object: nil)
        let delegate: any IsolatedDelegate = Ending()
        rights += [listener.told == 1, delegate.ended?() == 3, IsolatedNote.path == "text"]
        print("\(rights.filter { !$0 }.count) snippets of the main actor's module fail")
        exit(rights.contains(false) ? 1 : 0)
    }
}
