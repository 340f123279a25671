import CoreDataModel
import CoreDataPredicate
import CoreDataTrace
import Foundation
import Synchronization
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

private final class Texts: EventSink {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func record(_ event: Event) {
        guard case .statement(let statement) = event else { return }
        texts.withLock { $0.append(statement.sql) }
    }
}

@Suite struct SaveLockTests {
    @Test func `D-005 every transaction of a save begins with BEGIN IMMEDIATE`() throws {
        let entity = NSEntityDescription()
        entity.name = "Note"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("save-lock-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("Notes.sqlite"))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        let texts = Texts()
        container.persistentStoreCoordinator.trace.add(texts)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            try context.save()
        }
        let begins = texts.all.filter { $0.hasPrefix("BEGIN") }
        #expect(!begins.isEmpty)
        #expect(Set(begins) == ["BEGIN IMMEDIATE"])
    }
}
