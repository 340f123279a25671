import CoreData

/// Counts the notifications of one name that a context posts, and keeps the last of them.
final class Received {
    private let notes = Notes()
    private let observer: any NSObjectProtocol

    init(_ name: Notification.Name, of context: NSManagedObjectContext) {
        let notes = notes
        observer = NotificationCenter.default.addObserver(
            forName: name, object: context, queue: nil
        ) { note in
            notes.add(note)
        }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    var count: Int { notes.all.count }

    func has(_ key: String) -> Bool { notes.all.last?.userInfo?[key] != nil }

    func objects(_ key: String) -> Set<NSManagedObject>? {
        notes.all.last?.userInfo?[key] as? Set<NSManagedObject>
    }
}

/// Records the did-save notifications of all contexts of a container except one.
final class Saves {
    private let notes = Notes()
    private let observer: any NSObjectProtocol

    init(of container: NSPersistentContainer, except excluded: NSManagedObjectContext) {
        let notes = notes
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { note in
            guard let context = note.object as? NSManagedObjectContext, context !== excluded,
                context.persistentStoreCoordinator === container.persistentStoreCoordinator
            else { return }
            notes.add(note)
        }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    func take() -> [Notification] { notes.take() }
}

// `@unchecked Sendable` because the lock guards every access.
private final class Notes: @unchecked Sendable {
    private let lock = NSLock()
    private var notes: [Notification] = []

    func add(_ note: Notification) {
        lock.lock()
        defer { lock.unlock() }
        notes.append(note)
    }

    var all: [Notification] {
        lock.lock()
        defer { lock.unlock() }
        return notes
    }

    func take() -> [Notification] {
        lock.lock()
        defer { lock.unlock() }
        defer { notes = [] }
        return notes
    }
}
