import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Synchronization
import TestSupport
import Testing

/// A dialect that can neither compare nor sort strings must find the same rows as SQLite's.
@Suite struct ResidueTests {
    private let full: StoreFixture
    private let plain: StoreFixture

    init() throws {
        full = try StoreFixture()
        plain = try StoreFixture(dialect: PlainDialect())
        for fixture in [full, plain] {
            _ = try PredicateWorld(fixture)
            fixture.log.forget()
        }
    }

    private static let conditions = [
        "TRUEPREDICATE", "title CONTAINS[cd] 'e'", "title BEGINSWITH 'E'", "title ENDSWITH[c] 'A'",
        "title LIKE '*u*'", "title MATCHES '.{4}'", "title ==[cd] 'ete'", "title <[c] 'emma'",
        "title IN[c] {'DUNE', 'notes'}", "uppercase:(title) == 'DUNE'", "year + 1 > 1900",
        "modulus:by:(year, 2) == 1 AND author.name CONTAINS 'a'", "ANY tags.name BEGINSWITH 'cl'",
        "NOT (title CONTAINS 'n') OR author == nil",
    ]

    private static let orders: [[NSSortDescriptor]] = [
        [.init(key: "title", ascending: true, selector: "localizedStandardCompare:")],
        [.init(key: "author.name", ascending: false, selector: "caseInsensitiveCompare:")]
            + [.init(key: "year", ascending: true)],
        [.init(key: "title", ascending: false)],
    ]

    private func keys(_ fixture: StoreFixture, _ plan: FetchPlan) throws -> [ObjectKey] {
        Array(try fixture.store.fetchKeys(plan))
    }

    @Test(arguments: conditions)
    func `memory finds, sorts and limits the rows that SQL would`(_ format: String) throws {
        for order in Self.orders {
            for (limit, offset) in [(0, 0), (1, 0), (2, 1), (0, 3), (5, 9)] {
                var plan = try full.plan("Book", NSPredicate(format: format), sort: order)
                plan.limit = limit
                plan.offset = offset
                let expected = try keys(full, plan)
                #expect(try keys(plain, plan) == expected, "\(format) \(order) \(limit) \(offset)")
                #expect(try plain.store.count(plan) == expected.count)
                #expect(
                    try plain.values("title", plan) == full.values("title", plan), "whole rows too")
            }
        }
    }

    @Test func `the log says that rows were sorted in memory, once for each fetch`() throws {
        let notes = AnnotationLog()
        plain.trace.add(notes)
        _ = try keys(plain, try plain.plan("Book", sort: Self.orders[0]))
        #expect(
            notes.take() == ["4 rows of Book were sorted in an order that SQL cannot express"])
        _ = try keys(plain, try plain.plan("Book", NSPredicate(format: "title CONTAINS 'm'")))
        #expect(
            notes.take() == [
                "a condition that SQL cannot express was tested on 4 rows of Book; 1 passed"
            ])
        _ = try keys(plain, try plain.plan("Book", NSPredicate(format: "year > 1900")))
        #expect(notes.take().isEmpty)
    }

    @Test func `batches change the rows that memory finds`() throws {
        for fixture in [full, plain] {
            let entity = try fixture.entity("Book")
            let slot = try #require(entity.valueSlot(named: "price"))
            let plan = try fixture.plan("Book", NSPredicate(format: "title ENDSWITH 'e'"))
            let outcome = try fixture.store.run(
                .update(.init(plan: plan, assignments: [(slot, .value(.double(1)))])),
                origin: WriteOrigin())
            #expect(outcome.keys.count == 1)
            let cheap = try fixture.plan("Book", NSPredicate(format: "price == 1"))
            #expect(try fixture.values("title", cheap) == [.string("Dune")])
        }
    }
}

private final class AnnotationLog: EventSink {
    private let texts = Mutex<[String]>([])

    func record(_ event: Event) {
        guard case .annotation(let text) = event else { return }
        texts.withLock { $0.append(text) }
    }

    func take() -> [String] {
        texts.withLock { texts in
            defer { texts.removeAll() }
            return texts
        }
    }
}
