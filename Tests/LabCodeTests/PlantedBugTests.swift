import CoreData
import Foundation
import LabRunner
import Testing

/// Tests that the lab finds bugs in ordinary code, and nothing after the bug was fixed.
@Suite struct PlantedBugTests {
    // MARK: Find or create on two queues

    private func imports(onOneQueue: Bool) throws -> CodeReport {
        try Lab.explore("find or create", .unhurried()) { lab in
            let stack = try lab.stack(model: Shop.model)
            let shared = stack.newBackgroundContext()
            for name in ["push", "pull"] {
                lab.session(name) {
                    let context = onOneQueue ? shared : stack.newBackgroundContext()
                    try context.performAndWait { try Shop.importItem("a", in: context) }
                }
            }
            lab.finally { try #expect(Shop.count("Item", in: stack) == 1) }
        }
    }

    @Test func `an importer that finds or creates on two queues creates two objects`() throws {
        let failure = #expect(throws: CodeFailure.self) { try imports(onOneQueue: false) }
        let found = try #require(failure)
        #expect(found.switches <= 3)
        #expect(found.reasons.contains { $0.contains("PlantedBugTests.swift") })
        #expect(found.story.contains { $0.contains("fetches Item: 0 rows  (Shop.swift:") })
        #expect(found.story.contains { $0.contains("inserts Item") })
    }

    @Test func `the importer on one queue creates one object in every schedule`() throws {
        #expect(try imports(onOneQueue: true).isComplete)
    }

    // MARK: A count that willSave keeps

    private func counts(onOneQueue: Bool) throws -> CodeReport {
        try Lab.explore("kept count", .unhurried()) { lab in
            let stack = try lab.stack(model: Library.model)
            let id = try lab.setup { try Library.shelf(in: stack) }
            let shared = stack.newBackgroundContext()
            for name in ["scanner", "desk"] {
                lab.session(name) {
                    let context = onOneQueue ? shared : stack.newBackgroundContext()
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    try Library.addBook(to: id, in: context)
                }
            }
            lab.finally {
                let counts = try Library.counts(of: id, in: stack)
                #expect(counts.kept == counts.books)
            }
        }
    }

    @Test func `a count that willSave updates is wrong after saves of two contexts`() throws {
        let failure = #expect(throws: CodeFailure.self) { try counts(onOneQueue: false) }
        let found = try #require(failure)
        #expect(found.switches <= 3)
        #expect(found.story.contains { $0.contains("count 0 → 1") })
        #expect(found.story.contains { $0.contains("Library.swift:") })
    }

    @Test func `the count is right in every schedule if one queue updates it`() throws {
        #expect(try counts(onOneQueue: true).isComplete)
    }

    // MARK: A did-save that waits for the main queue

    private func merging(waits: Bool) throws -> CodeReport {
        // A schedule that fails stops before the code that removes the observer.
        let observers = Observers()
        defer { observers.removeAll() }
        return try Lab.explore("merge in did-save", .unhurried()) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 1, in: stack) }
            let (screen, background) = (stack.viewContext, stack.newBackgroundContext())
            observers.add(
                NotificationCenter.default.addObserver(
                    forName: .NSManagedObjectContextDidSave, object: background, queue: nil
                ) { note in
                    // `@unchecked Sendable` because the block runs while the notification is
                    // posted.
                    nonisolated(unsafe) let note = note
                    if waits {
                        screen.performAndWait { screen.mergeChanges(fromContextDidSave: note) }
                    } else {
                        screen.perform { screen.mergeChanges(fromContextDidSave: note) }
                    }
                })
            lab.session("sync") { try Shop.add(1, to: id, in: background) }
            lab.session("screen", on: screen) { _ in
                _ = background.performAndWait { background.hasChanges }
            }
            lab.finally { observers.removeAll() }
        }
    }

    @Test func `a did-save that waits for the main queue deadlocks`() throws {
        let failure = #expect(throws: CodeFailure.self) { try merging(waits: true) }
        let found = try #require(failure)
        #expect(found.switches <= 3)
        #expect(found.reasons.contains { $0.hasPrefix("deadlock") })
    }

    @Test func `a did-save that does not wait passes in every schedule`() throws {
        #expect(try merging(waits: false).isComplete)
    }
}

/// The observers that schedules have added.
///
/// `@unchecked Sendable` because a lock guards the list.
private final class Observers: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [any NSObjectProtocol] = []

    func add(_ observer: any NSObjectProtocol) { lock.withLock { all.append(observer) } }

    func removeAll() {
        let removed = lock.withLock {
            defer { all = [] }
            return all
        }
        for observer in removed { NotificationCenter.default.removeObserver(observer) }
    }
}
