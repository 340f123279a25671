import CoreData
import Foundation
import Testing

@testable import LabRunner

/// The deprecated members of a coordinator, which a call by a protocol uses without a warning.
private protocol Trying: NSLocking {
    func tryLock() -> Bool
}

extension NSPersistentStoreCoordinator: Trying {}

/// Tests that the reduced walk keeps every order of an operation and a change of the coordinator's
/// stores.
@Suite struct StoreChangesTests {
    enum Change: CaseIterable {
        case remove, add, migrate, destroy, setMetadata
    }

    /// The operation of the session that does not change the stores.
    enum Look: CaseIterable {
        /// Counts the accounts.
        case count
        /// Searches for an account that the context has not read.
        case find
        /// Calls the coordinator, without reading a row.
        case ask
    }

    private static func explore(
        _ strategy: Lab.Strategy, _ change: Change, _ look: Look
    ) throws -> CodeReport {
        var options = Lab.Options.unhurried(strategy: strategy)
        (options.fails, options.checkMin) = (.nothing, 0)
        return try Lab.explore("stores", options) { lab in
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            lab.tearDown { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("store.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Shop.model)
            let store = try coordinator.addPersistentStore(
                ofType: change == .destroy ? NSSQLiteStoreType : NSInMemoryStoreType,
                configurationName: nil, at: change == .destroy ? file : nil)
            let (writer, reader) = (context(of: coordinator), context(of: coordinator))
            let id = try insert(into: writer)
            var (changed, seen) = (true, "")
            // A store file cannot be destroyed while the other session reads it.
            lab.session("changer") {
                do { try make(change, of: store, in: coordinator, file) } catch { changed = false }
            }
            lab.session("reader") {
                seen = reader.performAndWait { Self.look(look, id, reader, coordinator) }
            }
            lab.finally {
                lab.observe("changed", changed)
                lab.observe("seen", seen)
            }
        }
    }

    private static func context(
        of coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private static func insert(into context: NSManagedObjectContext) throws -> NSManagedObjectID {
        try context.performAndWait {
            let account = NSEntityDescription.insertNewObject(
                forEntityName: "Account", into: context)
            try context.save()
            return account.objectID
        }
    }

    private static func make(
        _ change: Change, of store: NSPersistentStore,
        in coordinator: NSPersistentStoreCoordinator, _ file: URL
    ) throws {
        switch change {
        case .remove: try coordinator.remove(store)
        case .add:
            try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        case .migrate:
            try coordinator.migratePersistentStore(store, to: file, withType: NSSQLiteStoreType)
        case .destroy:
            try coordinator.destroyPersistentStore(
                at: file, ofType: NSSQLiteStoreType, options: [NSPersistentStoreTimeoutOption: 0.1])
        case .setMetadata: coordinator.setMetadata(["size": 3], for: store)
        }
    }

    private static func look(
        _ look: Look, _ id: NSManagedObjectID, _ context: NSManagedObjectContext,
        _ coordinator: NSPersistentStoreCoordinator
    ) -> String {
        switch look {
        case .count:
            let all = NSFetchRequest<NSManagedObject>(entityName: "Account")
            return (try? context.count(for: all)).map { "\($0)" } ?? "an error"
        case .find: return (try? context.existingObject(with: id)) == nil ? "none" : "an account"
        case .ask:
            let stores = coordinator.persistentStores
            return stores.map { "\($0.type) \($0.metadata["size"] ?? 0)" }.joined(separator: ", ")
        }
    }

    @Test(arguments: Change.allCases, Look.allCases)
    func `the reduction keeps every order`(change: Change, look: Look) throws {
        let all = try Self.explore(.exhaustive, change, look)
        let reduced = try Self.explore(.reduced, change, look)
        #expect(reduced.isComplete)
        #expect(reduced.outcomes.keys.sorted() == all.outcomes.keys.sorted())
        if look == .ask { #expect(all.outcomes.count == 2) }
    }

    private static func tries(_ strategy: Lab.Strategy) throws -> CodeReport {
        var options = Lab.Options.unhurried(strategy: strategy)
        (options.fails, options.checkMin) = (.nothing, 0)
        return try Lab.explore("a try", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let coordinator: any Trying = stack.persistentStoreCoordinator
            var (first, second) = (false, false)
            func count() throws { _ = try Shop.count("Account", in: stack) }
            lab.session("first") {
                first = coordinator.tryLock()
                try count()
                if first { coordinator.unlock() }
            }
            lab.session("second") {
                second = coordinator.tryLock()
                try count()
                if second { coordinator.unlock() }
            }
            lab.finally { lab.observe("locked", [first, second]) }
        }
    }

    @Test func `an attempt to lock the coordinator depends on its lock`() throws {
        let all = try Self.tries(.exhaustive)
        #expect(all.outcomes.count == 3)
        #expect(try Self.tries(.reduced).outcomes.keys.sorted() == all.outcomes.keys.sorted())
    }

    @Test func `the lab refuses a program that removes a store of its stack`() throws {
        let error = #expect(throws: CodeError.self) {
            try Lab.explore("removed", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                lab.session("remover") {
                    let coordinator = stack.persistentStoreCoordinator
                    for store in coordinator.persistentStores { try coordinator.remove(store) }
                }
            }
        }
        #expect("\(try #require(error))".contains("open the store in the body"))
    }
}
