import CoreData
import Foundation
import LabRunner
import Synchronization
import Testing

/// Tests that the operations of a body end with its schedule, and that each schedule runs the
/// set-ups.
@Suite struct BodyEndsTests {
    /// Explores a screen that shows the rows of a model while a sync deletes them.
    private func explore(
        _ remove: @escaping (CodeLab, @escaping () -> Void) -> Void
    ) throws -> CodeReport {
        var options = Lab.Options.unhurried(limit: 300)
        options.fails = .nothing
        return try Lab.explore("merging screen", options) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            let (view, sync) = (stack.viewContext, stack.newBackgroundContext())
            let merging = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: sync, queue: nil
            ) { note in
                view.perform { view.mergeChanges(fromContextDidSave: note) }
            }
            lab.session("sync") {
                try sync.performAndWait {
                    sync.delete(try sync.existingObject(with: id))
                    try sync.save()
                }
            }
            lab.session("user") {
                view.performAndWait {
                    _ = (try? view.existingObject(with: id))?.value(forKey: "balance")
                    view.insert("Item", ["code": "y"])
                }
                try view.performAndWait { try view.save() }
            }
            remove(lab) { NotificationCenter.default.removeObserver(merging) }
        }
    }

    @Test func `an observer that a body adds is gone after each of its runs`() throws {
        #expect(try explore { lab, remove in lab.finally(remove) }.isComplete)
        #expect(try explore { lab, remove in lab.tearDown(remove) }.isComplete)
    }

    @Test func `each run of a body has its tear-down, and its finally if its sessions end`()
        throws
    {
        let counts = Mutex([0, 0, 0])
        func count(_ place: Int) { counts.withLock { $0[place] += 1 } }
        try Lab.explore("counted", .unhurried()) { lab in
            count(0)
            let stack = try lab.stack(model: Shop.model)
            for name in ["a", "b"] {
                lab.session(name) {
                    let context = stack.newBackgroundContext()
                    try context.performAndWait { try Shop.importItem(name, in: context) }
                }
            }
            lab.finally { count(1) }
            lab.tearDown { count(2) }
        }
        let found = counts.withLock { $0 }
        #expect(found[0] > 2)
        #expect(found[1] == found[0])
        #expect(found[2] == found[0])
    }

    @Test func `a tear-down also runs if sessions wait for each other for ever`() throws {
        let open = Mutex(0)
        #expect(throws: CodeFailure.self) {
            try Lab.explore("deadlock", .unhurried()) { lab in
                open.withLock { $0 += 1 }
                let (one, other) = (NSLock(), NSLock())
                lab.session("a") { one.withLock { other.withLock {} } }
                lab.session("b") { other.withLock { one.withLock {} } }
                lab.tearDown { open.withLock { $0 -= 1 } }
            }
        }
        // The last run may still be open, because its page and story are written later.
        #expect(open.withLock { $0 } <= 1)
    }

    /// `@unchecked Sendable` because one thread at a time runs.
    private final class Box: @unchecked Sendable { var stack: NSPersistentContainer? }

    // MARK: Set-ups

    private final class Persistence {
        let container: NSPersistentContainer

        init(url: URL? = nil) {
            container = NSPersistentContainer(name: "shop", managedObjectModel: Shop.model)
            let description = NSPersistentStoreDescription()
            if let url {
                description.url = url
            } else {
                description.type = NSInMemoryStoreType
            }
            container.persistentStoreDescriptions = [description]
            container.loadPersistentStores { _, error in #expect(error == nil) }
        }
    }

    private func tills(_ policy: NSMergePolicy, url: URL? = nil) throws -> CodeReport {
        try Lab.explore("own container", .unhurried()) { lab in
            let stack = Persistence(url: url).container
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            let shared = stack.newBackgroundContext()
            for (name, amount) in [("till", 5), ("desk", 7)] {
                lab.session(name) {
                    let context =
                        policy === NSMergePolicy.error ? shared : stack.newBackgroundContext()
                    context.mergePolicy = policy
                    try Shop.add(amount, to: id, in: context)
                }
            }
            lab.finally { try #expect(Shop.balance(of: id, in: stack) == 22) }
        }
    }

    @Test func `a set-up fills a container that the body creates in each schedule`() throws {
        let found = #expect(throws: CodeFailure.self) { try tills(NSMergePolicy.overwrite) }
        #expect(try #require(found).reasons.contains { $0.contains("balance(of: id") })
        // The correct code has no lost update, because both sessions use one context.
        #expect(try tills(NSMergePolicy.error).isComplete)
    }

    @Test func `a set-up that fills a file of the code is refused with a remedy`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let found = #expect(throws: (any Error).self) {
            try tills(NSMergePolicy.overwrite, url: folder.appendingPathComponent("shop.sqlite"))
        }
        #expect("\(try #require(found))".contains("lab.stack(model:)"))
    }

    @Test func `a static stack is reported with a remedy`() throws {
        let box = Box()
        let found = #expect(throws: (any Error).self) {
            try Lab.explore("static", .unhurried()) { lab in
                if box.stack == nil { box.stack = Persistence().container }
                let stack = box.stack!
                lab.session("a") {
                    let context = stack.viewContext
                    context.performAndWait { _ = try? Shop.importItem("a", in: context) }
                }
            }
        }
        #expect("\(try #require(found))".contains("Create the stack in the body"))
    }
}
