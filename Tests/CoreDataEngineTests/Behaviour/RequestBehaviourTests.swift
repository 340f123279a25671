import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Testing

@testable import CoreDataEngine

/// The published test suites of apps and libraries assert this behaviour of requests, predicates
/// and results controllers.
@Suite struct RequestBehaviourTests {
    private let fixture: ResultsFixture

    init() throws { fixture = try ResultsFixture() }

    /// Source: NSFetchedResultsController.h requires sort descriptors; an empty list satisfies
    /// this.
    @Test func `a results controller accepts an empty list of sort descriptors`() throws {
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b2"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Task")
            request.sortDescriptors = []
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: fixture.context,
                sectionNameKeyPath: nil, cacheName: nil)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.count == 2)
            controller.delegate = fixture.notes
            fixture.add("c3")
            try fixture.context.save()
            #expect(controller.fetchedObjects?.count == 3)
        }
    }

    @Test func `a results controller refuses a request without sort descriptors`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let fixture = try ResultsFixture()
            _ = NSFetchedResultsController(
                fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Task"),
                managedObjectContext: fixture.context, sectionNameKeyPath: nil, cacheName: nil)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("requires a fetch request with sort descriptors"))
    }

    /// Source: NSFetchedResultsController.h: only the methods that report changes turn on tracking.
    @Test func `a delegate that implements only index titles does not request changes`() throws {
        final class Titles: NSObject, NSFetchedResultsControllerDelegate {
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
                sectionIndexTitleForSectionName sectionName: String
            ) -> String? { "<\(sectionName)>" }
        }
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b2"])
            let titles = Titles()
            let controller = fixture.controller()
            controller.delegate = titles
            try controller.performFetch()
            for name in ["b3", "c4"] {
                fixture.add(name)
                fixture.context.processPendingChanges()
                #expect(ResultsFixture.show(controller) == ["a: a1", "b: b2"])
            }
            #expect(controller.sectionIndexTitles == ["<a>", "<b>"])
            controller.delegate = fixture.notes
            try controller.performFetch()
            fixture.add("a9")
            fixture.context.processPendingChanges()
            #expect(ResultsFixture.show(controller) == ["a: a1 a9", "b: b2 b3", "c: c4"])
        }
    }

    /// Source: suites of libraries; the section info of a deleted section has no objects.
    @Test func `a section that is reported as deleted is empty`() throws {
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b2"])
            let controller = fixture.controller()
            let seen = SectionNotes()
            controller.delegate = seen
            try controller.performFetch()
            let gone = try #require(controller.fetchedObjects?.first)
            fixture.context.delete(gone)
            fixture.add("c3")
            try fixture.context.save()
            #expect(seen.sections == ["delete a 0 0", "insert c 1 1"])
        }
    }

    /// Source: NSExpression.h: arithmetic with integers has integer results.
    @Test func `a power of whole numbers is a whole number`() throws {
        let sum = NSExpression(format: "4 + 5 - 2**3")
        #expect(sum.expressionValue(with: nil, context: nil) as? Int == 1)
        let large = NSExpression(format: "10 ** 30")
        #expect(large.expressionValue(with: nil, context: nil) as? Double == 1e30)
        let part = NSExpression(format: "2 ** -1")
        #expect(part.expressionValue(with: nil, context: nil) as? Double == 0.5)
        let edge = NSExpression(format: "(-2) ** 63")
        #expect(edge.expressionValue(with: nil, context: nil) as? Int == .min)
    }

    /// Source: NSFetchRequestExpression.h; semantics.md §8.1.
    @Test func `FETCH parses, prints and fetches`() throws {
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b2"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Task")
            request.predicate = NSPredicate(format: "kind = 'a'")
            let parsed = NSExpression(format: "FETCH(%@, %@, NO)", request, fixture.context)
            let found = parsed.expressionValue(with: nil, context: nil) as? [NSManagedObject]
            #expect(found?.map { $0.value(forKey: "rank") as? Int } == [1])
            #expect(parsed.description.hasPrefix("FETCH("))
            let count = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: request),
                context: NSExpression(forConstantValue: fixture.context), countOnly: true)
            #expect(count.expressionValue(with: nil, context: nil) as? Int == 1)
            #expect(count.expressionType == NSFetchRequestExpressionType)
            #expect(count.expressionType.rawValue == 50)
        }
    }

    @Test func `D-055 a store does not translate FETCH`() throws {
        let error = #expect(throws: (any Error).self) {
            try fixture.context.performAndWait {
                let inner = NSFetchRequest<NSManagedObject>(entityName: "Task")
                let request = NSFetchRequest<NSManagedObject>(entityName: "Task")
                request.predicate = NSPredicate(
                    format: "SELF IN FETCH(%@, %@, NO)", inner, fixture.context)
                _ = try fixture.context.fetch(request)
            }
        }
        #expect("\(error as Any)".contains("FETCH"))
    }

    @Test func `D-060 a request of another result type is a copy, which a cast does not return`()
        throws
    {
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b2"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Task")
            request.fetchLimit = 1
            #expect(!((request as Any) is NSFetchRequest<any NSFetchRequestResult>))
            let cast = try #require(NSFetchRequest<any NSFetchRequestResult>.cast(request))
            #expect(try fixture.context.fetch(cast).count == 1)
            cast.fetchLimit = 2
            #expect(request.fetchLimit == 1)
            #expect(NSFetchRequest<NSManagedObject>.cast(request) === request)
            let optional: NSPersistentStoreRequest? = cast
            #expect(NSFetchRequest<NSManagedObject>.cast(optional)?.fetchLimit == 2)
            let delete = NSBatchDeleteRequest(fetchRequest: cast)
            #expect(NSFetchRequest<NSManagedObject>.cast(delete) == nil)
            #expect(NSFetchRequest<NSManagedObject>.cast(nil) == nil)
        }
    }

    /// Source: semantics.md §8.1; key paths of derived attributes end with the operator.
    @Test func `an operator may follow the values that it takes`() throws {
        let path = NSExpression(format: "pages.words.@sum")
        let pages = [["words": 3], ["words": 3], ["words": 4]]
        #expect(path.expressionValue(with: ["pages": pages], context: nil) as? Int == 10)
        #expect(path == NSExpression(forKeyPath: "pages.words.@sum"))
    }
}

/// Records the changes of sections.
///
/// `@unchecked Sendable` because one queue uses it.
private final class SectionNotes: NSObject, NSFetchedResultsControllerDelegate, @unchecked Sendable
{
    var sections: [String] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        let count = sectionInfo.objects?.count ?? -1
        sections.append("\(type) \(sectionInfo.name) \(count) \(sectionInfo.numberOfObjects)")
    }
}
