import CoreData

/// The last notification of a name that a context posted, and how many there were.
final class Received {
    // `@unchecked Sendable` because every access is between lock and unlock.
    private final class State: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        private var last: Notification?

        func add(_ note: Notification) {
            lock.lock()
            defer { lock.unlock() }
            count += 1
            last = note
        }

        func read() -> (count: Int, last: Notification?) {
            lock.lock()
            defer { lock.unlock() }
            return (count, last)
        }
    }

    private let state = State()
    private let observer: any NSObjectProtocol

    init(_ name: Notification.Name, of context: NSManagedObjectContext) {
        let state = state
        observer = NotificationCenter.default.addObserver(
            forName: name, object: context, queue: nil
        ) { note in
            state.add(note)
        }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    var count: Int { state.read().count }

    func has(_ key: String) -> Bool { state.read().last?.userInfo?[key] != nil }

    func objects(_ key: String) -> Set<NSManagedObject>? {
        state.read().last?.userInfo?[key] as? Set<NSManagedObject>
    }
}

/// The did-save notifications of all contexts of a container but one, in their order.
final class Saves {
    // `@unchecked Sendable` because every access is between lock and unlock.
    private final class State: @unchecked Sendable {
        private let lock = NSLock()
        private var notes: [Notification] = []

        func add(_ note: Notification) {
            lock.lock()
            defer { lock.unlock() }
            notes.append(note)
        }

        func take() -> [Notification] {
            lock.lock()
            defer { lock.unlock() }
            defer { notes = [] }
            return notes
        }
    }

    private let state = State()
    private let observer: any NSObjectProtocol

    init(of container: NSPersistentContainer, except excluded: NSManagedObjectContext) {
        let state = state
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { note in
            guard let context = note.object as? NSManagedObjectContext, context !== excluded,
                context.persistentStoreCoordinator === container.persistentStoreCoordinator
            else { return }
            state.add(note)
        }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    func take() -> [Notification] { state.take() }
}
