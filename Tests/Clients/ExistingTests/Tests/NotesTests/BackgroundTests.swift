import CoreData
import XCTest

@testable import Notes

/// Tests with expectations, background contexts, and a store that `setUp` creates.
final class BackgroundTests: XCTestCase {
    private var store: NoteStore!
    private var folder: URL!

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = NoteStore(url: folder.appendingPathComponent("Notes.sqlite"))
    }

    override func tearDownWithError() throws {
        store = nil
        try FileManager.default.removeItem(at: folder)
    }

    func testTwoTitles() {
        let done = expectation(description: "both")
        done.expectedFulfillmentCount = 2
        for title in ["a", "b"] {
            store.add(title) { error in
                XCTAssertNil(error)
                done.fulfill()
            }
        }
        wait(for: [done], timeout: 60)
        XCTAssertEqual(store.titles(), ["a", "b"])
    }

    /// Whether the next run of `testOneTitleTwice` waits for its first save. The variable
    /// `NOTES_FIRST_IN_ORDER` makes the first run wait.
    private static var isInOrder =
        ProcessInfo.processInfo.environment["NOTES_FIRST_IN_ORDER"] != nil

    /// The test passes if the first import is saved before the second import fetches.
    func testOneTitleTwice() {
        let done = expectation(description: "both")
        done.expectedFulfillmentCount = 2
        let first = XCTestExpectation(description: "first")
        store.add("a") { _ in
            done.fulfill()
            first.fulfill()
        }
        if Self.isInOrder {
            Self.isInOrder = false
            wait(for: [first], timeout: 60)
        } else {
            // The first import usually ends within 50 milliseconds.
            poll(nil, 0, 50)
        }
        store.add("a") { _ in done.fulfill() }
        wait(for: [done], timeout: 60)
        XCTAssertEqual(store.titles(), ["a"])
    }

    func testDidSaveReachesTheViewContext() {
        let merged = expectation(
            forNotification: .NSManagedObjectContextObjectsDidChange,
            object: store.container.viewContext)
        _ = store.titles()
        store.add("a") { _ in }
        wait(for: [merged], timeout: 60)
    }

    func testOneThread() {
        let context = store.container.viewContext
        let note =
            NSEntityDescription.insertNewObject(forEntityName: "Note", into: context) as! Note
        note.title = "x"
        XCTAssertNoThrow(try context.save())
        XCTAssertEqual(store.titles(), ["x"])
    }

    func testAQueueOfTheAppsOwn() throws {
        let context = store.container.viewContext
        let note =
            NSEntityDescription.insertNewObject(forEntityName: "Note", into: context) as! Note
        try context.save()
        let read = expectation(description: "read")
        store.read(note.objectID) { read.fulfill() }
        wait(for: [read], timeout: 60)
        context.refreshAllObjects()
        XCTAssertEqual(note.reads, 1)
    }

    func testAnOperationQueue() {
        let queue = OperationQueue()
        let added = expectation(description: "added")
        let store = store!
        queue.addOperation { store.add("a") { _ in added.fulfill() } }
        wait(for: [added], timeout: 60)
        XCTAssertEqual(store.titles(), ["a"])
    }

    /// Tests that have begun but have not run their teardown block.
    private static var open = 0

    func testATeardownBlock() {
        Self.open += 1
        addTeardownBlock { Self.open -= 1 }
        XCTAssertEqual(store.titles(), [])
        XCTAssertEqual(Self.open, 1)
    }

    /// If `continueAfterFailure` is off, a failure in `setUp` or `tearDown` ends the process.
    func testThatEndsAtItsFirstFailure() {
        continueAfterFailure = false
        let added = expectation(description: "added")
        store.add("a") { error in
            XCTAssertNil(error)
            added.fulfill()
        }
        wait(for: [added], timeout: 60)
        XCTAssertEqual(store.titles(), ["a"])
    }

    func testAnInvertedExpectation() {
        let never = expectation(description: "never")
        never.isInverted = true
        store.add("a") { error in if error != nil { never.fulfill() } }
        wait(for: [never], timeout: 0.1)
    }

    func testAGroupThatWaits() {
        let group = DispatchGroup()
        for title in ["a", "b"] {
            group.enter()
            store.add(title) { _ in group.leave() }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 60), .success)
        XCTAssertEqual(store.titles(), ["a", "b"])
    }

    func testAsynchronousCode() async throws {
        try await store.add("a")
        try await store.add("b")
        let titles = store.titles(store.container.newBackgroundContext())
        XCTAssertEqual(titles, ["a", "b"])
    }

    @MainActor func testTheMainActor() async throws {
        try await store.add("a")
        XCTAssertEqual(store.titles(), ["a"])
    }

    func testSkipped() throws { throw XCTSkip("not today") }

    func testNoStack() { XCTAssertEqual(1 + 1, 2) }
}

/// A stack that all tests of the class share.
final class SharedStackTests: XCTestCase {
    private static let store = NoteStore()

    override func setUp() {
        let context = Self.store.container.viewContext
        let request = NSFetchRequest<Note>(entityName: "Note")
        for note in (try? context.fetch(request)) ?? [] { context.delete(note) }
        try? context.save()
    }

    func testTwoTitles() {
        let done = expectation(description: "both")
        done.expectedFulfillmentCount = 2
        for title in ["a", "b"] { Self.store.add(title) { _ in done.fulfill() } }
        wait(for: [done], timeout: 60)
        XCTAssertEqual(Self.store.titles(), ["a", "b"])
    }

    func testOneTitle() {
        let done = expectation(description: "one")
        Self.store.add("a") { _ in done.fulfill() }
        wait(for: [done], timeout: 60)
        XCTAssertEqual(Self.store.titles(), ["a"])
    }
}
