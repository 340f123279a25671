import CoreData
import Foundation
import Testing

@testable import LabRunner

/// Tests of the report about a failure. Its lines show contexts, values, conflicts and source
/// locations.
@Suite struct StoryTests {
    private func tills(
        _ policy: NSMergePolicy, _ options: Lab.Options = .unhurried()
    ) throws -> CodeFailure {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("two tills", options) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                for (name, amount) in [("till", 5), ("desk", 7)] {
                    lab.session(name) {
                        let context = stack.newBackgroundContext()
                        context.mergePolicy = policy
                        if name == "desk" { context.name = "desk's own" }
                        try Shop.add(amount, to: id, in: context)
                    }
                }
                lab.finally { try #expect(Shop.balance(of: id, in: stack) == 22) }
            }
        }
        return try #require(failure)
    }

    @Test func `a line has its thread, its context, the values read and the location`() throws {
        let story = try tills(.mergeByPropertyObjectTrump).story
        let read = try #require(story.first { $0.contains("reads Account 1") })
        #expect(read.contains("balance 10"))
        #expect(read.contains("(Shop.swift:"))
        #expect(story.contains { $0.hasPrefix("till") && $0.contains("till/1") })
        #expect(story.contains { $0.hasPrefix("desk") && $0.contains("desk's own") })
        #expect(story.contains { $0.contains("changes Account 1: balance 10 → ") })
    }

    @Test(arguments: [
        NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .errorMergePolicyType,
    ])
    func `a save shows the versions, and the value that was read, is set and is stored`(
        type: NSMergePolicyType
    ) throws {
        let story = try tills(NSMergePolicy(merge: type)).story
        let place = try #require(
            story.firstIndex { $0.contains("finds Account 1 at version 2, read at version 1") })
        #expect(story[place].contains("\(CodeChange.name(type)) decides"))
        let values = story[place + 1]
        #expect(values.contains("balance: read 10, here "))
        #expect(values.contains(", saved "))
        #expect(values.contains("15") && values.contains("17"))
    }

    @Test func `a fetch names the rows that it returned`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("fetches", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                _ = try lab.setup { try Shop.account(balance: 10, in: stack) }
                lab.session("list") {
                    let context = stack.newBackgroundContext()
                    try context.performAndWait {
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
                        let rows = try context.fetch(request)
                        #expect(rows.isEmpty)
                    }
                }
            }
        }
        let story = try #require(failure).story
        let fetch = try #require(
            story.first { $0.contains("fetches Account: 1 row (Account 1)") })
        // The session's closure is an argument of a macro.
        #expect(fetch.contains("(StoryTests.swift:"))
    }

    private struct Stop: Error {}

    /// The story of a session that ends with an error.
    private func story(
        _ body: @escaping (NSPersistentContainer, NSManagedObjectID) throws -> Void
    ) throws -> [String] {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("stops", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                lab.session("only") {
                    try body(stack, id)
                    throw Stop()
                }
            }
        }
        return try #require(failure).story
    }

    @Test func `batch requests name the rows that they wrote`() throws {
        let story = try story { stack, id in
            let context = stack.newBackgroundContext()
            context.name = "cleaner"
            let update = NSBatchUpdateRequest(entityName: "Account")
            update.propertiesToUpdate = ["balance": 3]
            let insert = NSBatchInsertRequest(entityName: "Item", objects: [["code": "a"]])
            let delete = NSBatchDeleteRequest(objectIDs: [id])
            try context.performAndWait {
                for request in [update, insert, delete] { try context.execute(request) }
            }
        }
        let lines = story.filter { $0.contains("cleaner") && $0.contains("the store's") }
        #expect(
            lines.map { $0.contains("(StoryTests.swift:") } == [true, true, true], "\(story)")
        #expect(lines[0].contains("updates the store's Account: 1 row (Account 1)"))
        #expect(lines[1].contains("inserts into the store's Item: 1 row (Item 1)"))
        #expect(lines[2].contains("deletes from the store's Account: 1 row (Account 1)"))
    }

    @Test func `a search and a fault without a row have a line`() throws {
        let story = try story { stack, id in
            let (one, other) = (stack.newBackgroundContext(), stack.newBackgroundContext())
            let fault = other.performAndWait { other.object(with: id) }
            try one.performAndWait {
                one.delete(try one.existingObject(with: id))
                try one.save()
                #expect(throws: (any Error).self) { try one.existingObject(with: id) }
            }
            other.performAndWait { _ = fault.value(forKey: "balance") }
        }
        #expect(story.count { $0.contains("finds no row of Account 1") } == 2, "\(story)")
    }

    @Test func `a merge by ids belongs to the context that merges`() throws {
        let story = try story { stack, id in
            let (saver, list) = (stack.newBackgroundContext(), stack.newBackgroundContext())
            (saver.name, list.name) = ("saver", "list")
            let shown = try list.performAndWait { try list.existingObject(with: id) }
            try Shop.add(5, to: id, in: saver)
            saver.performAndWait {
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: [NSUpdatedObjectIDsKey: [id]], into: [list])
            }
            withExtendedLifetime(shown) {}
        }
        let merge = try #require(story.first { $0.contains("merges 0 inserted, 1 updated") })
        #expect(merge.contains("  list  ") && !merge.contains("saver"), "\(merge)")
    }

    @Test func `a deadlock shows where each thread waits, call by call`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("crossed queues", CureTests.enough) { lab in
                let stack = try lab.stack(model: Shop.model)
                let (one, other) = (stack.newBackgroundContext(), stack.newBackgroundContext())
                lab.session("a") { one.performAndWait { other.performAndWait {} } }
                lab.session("b") { other.performAndWait { one.performAndWait {} } }
            }
        }
        let found = try #require(failure)
        let heads = found.waits.filter { $0.hasSuffix(" holds:") }
        #expect(heads.count == 2)
        #expect(heads.contains { $0.hasPrefix("a waits for") })
        #expect(found.waits.count { $0.contains("StoryTests.swift:") } >= 2)
        // One queue for all contexts cures a deadlock. A merge policy does not.
        let policy = try #require(found.cures.first { $0.name == "mergePolicy = error" })
        #expect(policy.notTried != nil)
        #expect(found.cures.contains { $0.helps && $0.name.contains("one queue") })
    }

    @Test func `the last line replays the schedule in the test that found it`() throws {
        let found = try tills(.overwrite)
        #expect(
            found.command
                == "FAULTLINE_REPLAY='\(found.token)' swift test --filter"
                + " 'the last line replays the schedule in the test that found it'")
        #expect(found.description.hasSuffix(found.command))
    }

    @Test func `a test is found by its name, and a function that is not a test is not found`() {
        #expect(ReplayCommand.test("twoTills()", "explore(_:)") == "twoTills")
        #expect(ReplayCommand.test("`a + b?`()", "f()") == "a + b?")
        #expect(ReplayCommand.test(nil, "testTills()") == "testTills")
        #expect(ReplayCommand.test(nil, "explore(_:)") == nil)
    }

    // MARK: Pages

    @Test func `a page of a failure has the lanes, the cures and the line that replays`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let found = try tills(
            .overwrite, Lab.Options(timeBudget: .unhurried * 4, report: folder))
        let page = folder.appendingPathComponent(
            "two-tills--a-page-of-a-failure-has-the-lanes-the-cures-and-the-line-that-replays.html")
        #expect(found.page == page.path)
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("<span class=\"lane-name\">till/1</span>"))
        #expect(text.contains("<span class=\"lane-name\">store</span>"))
        #expect(text.contains("mergePolicy = mergeByPropertyStoreTrump"))
        #expect(text.contains("Account 1: version 1 → version 2, balance = 10 → "))
    }

    @Test func `a page that cannot be written is reported, and the failure stays`() throws {
        let found = try tills(
            .overwrite,
            Lab.Options(
                timeBudget: .unhurried, cures: false,
                report: URL(fileURLWithPath: "/dev/null/no")))
        #expect(try #require(found.page).hasPrefix("could not be written to /dev/null/no"))
    }
}
