import CoreData

@objc(StrictNote) final class StrictNote: NSManagedObject, Identifiable {
    @NSManaged var text: String?
    @NSManaged var words: NSSet?
    @NSManaged private var primitiveText: String?
    static let path = #keyPath(StrictNote.text)
    static let selector = #selector(willSave)
    // `nonisolated(unsafe)` because one queue saves.
    nonisolated(unsafe) static var saves = 0
    nonisolated func loud() -> String { (text ?? "").uppercased() }
    func put(_ text: String) { primitiveText = text }
}

extension StrictNote {
    override func willSave() {
        super.willSave()
        StrictNote.saves += 1
    }
    @objc static nonisolated func make(in context: NSManagedObjectContext) -> StrictNote {
        StrictNote(context: context)
    }
}

@MainActor class View: NSObject {
    @objc dynamic var title = ""
    var told: [String] = []
    func watch(_ center: NotificationCenter) {
        center.addObserver(
            self, selector: #selector(changed(_:)), name: .init("strict"), object: nil)
        center.addObserver(self, selector: #selector(plain), name: .init("strict"), object: nil)
        center.addObserver(
            self, selector: #selector(object(notification:)), name: .init("strict"), object: nil)
        center.addObserver(self, selector: #selector(away(_:)), name: .init("away"), object: nil)
    }
    @objc func changed(_ notification: Notification) { told.append("changed") }
    @objc private func plain() { told.append("plain") }
    @objc func object(notification: NSNotification) { told.append(notification.name.rawValue) }
    @objc nonisolated func away(_ notification: Notification) {}
    @objc func describe() -> String { "view" }
    func timer() -> Timer {
        Timer(
            timeInterval: 1_000, target: self, selector: #selector(tick(_:)), userInfo: nil,
            repeats: false)
    }
    @objc func tick(_ timer: Timer) { told.append("tick") }
}

/// Inherits the main actor; its override is in an extension.
final class SmallView: View {}
extension SmallView { override func describe() -> String { "small " + super.describe() } }
@MainActor extension View { @objc func inExtension(_ notification: Notification) { told = ["x"] } }

/// A class without an actor; one method belongs to the main actor.
final class Mixed: NSObject {
    @MainActor var told = 0
    func watch(_ center: NotificationCenter) {
        center.addObserver(
            self, selector: #selector(Mixed.changed), name: .init("mixed"), object: nil)
    }
    @MainActor @objc func changed(_ notification: Notification) { told += 1 }
}

enum Wiring {
    /// The function is not isolated to the main actor.
    nonisolated static func connect(_ view: View, _ center: NotificationCenter) {
        center.addObserver(
            view, selector: #selector(View.inExtension(_:)), name: .init("wired"), object: nil)
    }
}

@objc protocol StrictDelegate: Sendable {
    @objc optional func changed(_ count: Int)
    @MainActor @objc optional func shown() -> String
}
final class StrictListener: NSObject, StrictDelegate {
    @MainActor func shown() -> String { "shown" }
}

private func stack() throws -> NSManagedObjectContext {
    let note = NSEntityDescription()
    note.name = "Note"
    note.managedObjectClassName = "StrictNote"
    let text = NSAttributeDescription()
    text.name = "text"
    text.attributeType = .stringAttributeType
    text.isOptional = true
    note.properties = [text]
    let model = NSManagedObjectModel()
    model.entities = [note]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}

@MainActor func checkStrict() async throws -> Int {
    let context = try stack()
    let text = try await context.perform {
        let note = StrictNote.make(in: context)
        note.put("a")
        try context.save()
        return note.loud()
    }
    var failed = check("accessors", text == "A")
    failed += check("an override in an extension", StrictNote.saves == 1)
    failed += check("names", StrictNote.path == "text" && "\(StrictNote.selector)" == "willSave")
    let center = NotificationCenter()
    let view = SmallView()
    view.watch(center)
    center.post(name: .init("strict"), object: nil)
    failed += check(
        "observers on the main actor", view.told.sorted() == ["changed", "plain", "strict"])
    view.timer().fire()
    failed += check("a timer on the main actor", view.told.last == "tick")
    failed += check("an override on the main actor", view.describe() == "small view")
    Wiring.connect(view, center)
    center.post(name: .init("wired"), object: nil)
    failed += check("an observer that is connected elsewhere", view.told == ["x"])
    let mixed = Mixed()
    mixed.watch(center)
    center.post(name: .init("mixed"), object: nil)
    failed += check("one method on the main actor", mixed.told == 1)
    let delegate: any StrictDelegate = StrictListener()
    delegate.changed?(1)
    failed += check("optional methods", delegate.shown?() == "shown")
    return failed
}
