import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Synchronization
import Testing

/// The default store of a container without store descriptions.
@Suite struct DefaultStoreTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    /// A container that counts the requests for its default folder. Only one test may use it.
    ///
    /// `@unchecked Sendable` because it adds only an atomic count to its superclass.
    private final class CountingContainer: NSPersistentContainer, @unchecked Sendable {
        static let asked = Atomic<Int>(0)

        override class func defaultDirectoryURL() -> URL {
            asked.add(1, ordering: .relaxed)
            return URL(fileURLWithPath: "/nowhere/at/all", isDirectory: true)
        }
    }

    private func model() -> NSManagedObjectModel {
        GraphModels.model([GraphModels.entity("Note", [GraphModels.text("name")])])
    }

    @Test func `the default folder is requested only if the default store is used`() throws {
        func asked() -> Int { CountingContainer.asked.load(ordering: .relaxed) }
        let placed = CountingContainer(name: "Notes", managedObjectModel: model())
        placed.persistentStoreDescriptions = [NSPersistentStoreDescription(url: folder.store)]
        placed.loadPersistentStores { _, error in #expect(error == nil) }
        #expect(placed.persistentStoreCoordinator.persistentStores.count == 1)
        #expect(asked() == 0)

        let unplaced = CountingContainer(name: "Notes", managedObjectModel: model())
        let known = unplaced.persistentStoreDescriptions
        #expect(known.map(\.url?.path) == ["/nowhere/at/all/Notes.sqlite"])
        #expect(known.map(\.type) == [NSSQLiteStoreType])
        // Each access returns the same description. Changes of it therefore apply when stores are
        // loaded.
        known[0].shouldMigrateStoreAutomatically = false
        #expect(unplaced.persistentStoreDescriptions[0] === known[0])
        #expect(asked() == 1)
        unplaced.persistentStoreDescriptions = []
        unplaced.loadPersistentStores { _, _ in Issue.record("no store was described") }
        #expect(unplaced.persistentStoreDescriptions.isEmpty)
    }

    @Test func `threads that request the default store at the same time get the same one`() throws {
        for _ in 0..<50 {
            let container = NSPersistentContainer(name: "Notes", managedObjectModel: model())
            let found = Mutex<Set<ObjectIdentifier>>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let own = container.persistentStoreDescriptions[0]
                found.withLock { _ = $0.insert(ObjectIdentifier(own)) }
            }
            #expect(found.withLock { $0.count } == 1)
        }
    }
}
