import CoreDataModel
import CoreDataPredicate
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

struct ResultsFetchTests {
    @Test func `results are in sections by name, and objects have index paths`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["b2", "a1", "b1", "c5"])
            fixture.add("c4", entity: "Chore")
            let controller = fixture.controller()
            #expect(controller.sections == nil)
            #expect(controller.fetchedObjects == nil)
            try controller.performFetch()
            #expect(ResultsFixture.show(controller) == ["a: a1", "b: b1 b2", "c: c4 c5"])
            #expect(controller.fetchedObjects?.map(ResultsFixture.name).joined() == "a1b1b2c4c5")
            #expect(controller.sections?.map(\.numberOfObjects) == [1, 2, 2])
            let path = IndexPath(indexes: [1, 1])
            let object = controller.object(at: path)
            #expect(ResultsFixture.name(object) == "b2")
            #expect(controller.indexPath(forObject: object) == path)
            #expect(controller.indexPath(forObject: fixture.add("z9")) == nil)
            #expect(controller.fetchRequest.entity?.name == "Task")
            #expect(controller.managedObjectContext === fixture.context)
        }
    }

    @Test func `without a key path there is one section, with one no section is empty`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            let plain = fixture.controller(sections: nil)
            let divided = fixture.controller()
            try plain.performFetch()
            try divided.performFetch()
            #expect(ResultsFixture.show(plain) == [": "])
            #expect(ResultsFixture.show(divided) == [])
            fixture.add("a1")
            make("Task", fixture.context, ["rank": 7])
            try divided.performFetch()
            #expect(ResultsFixture.show(divided) == [": -7", "a: a1"])
        }
    }

    @Test func `a section may be named by a number`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a2", "b1", "c2"])
            let controller = fixture.controller(sections: "rank")
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["1", "2"])
        }
    }

    @Test func `the sections of objects that a child has saved are those of their values`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b1"])
            let controller = fixture.controller()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = fixture.context
            child.performAndWait {
                make("Task", child, ["kind": "b", "rank": 2])
                #expect(throws: Never.self) { try child.save() }
            }
            try controller.performFetch()
            #expect(ResultsFixture.show(controller) == ["a: a1", "b: b1 b2"])
        }
    }

    @Test func `index titles are first letters, or those of a subclass or the delegate`() throws {
        final class Numbered: NSFetchedResultsController<NSManagedObject> {
            override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
                "<\(sectionName)>"
            }
        }
        final class Titles: NSObject, NSFetchedResultsControllerDelegate {
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
                sectionIndexTitleForSectionName sectionName: String
            ) -> String? { sectionName == "b" ? nil : "same" }
        }
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b1", "c1"])
            let plain = fixture.controller()
            try plain.performFetch()
            #expect(plain.sectionIndexTitles == ["A", "B", "C"])
            #expect(plain.section(forSectionIndexTitle: "C", at: 2) == 2)
            let own = Numbered(
                fetchRequest: plain.fetchRequest, managedObjectContext: fixture.context,
                sectionNameKeyPath: "kind", cacheName: nil)
            own.delegate = fixture.notes
            try own.performFetch()
            #expect(own.sections?.map(\.indexTitle) == ["<a>", "<b>", "<c>"])
            let titles = Titles()
            plain.delegate = titles
            #expect(plain.sections?.map(\.indexTitle) == ["same", nil, "same"])
            #expect(plain.sectionIndexTitles == ["same"])
        }
    }

    // MARK: Errors

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `an order that splits a section is an error`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b2", "a3"])
            let controller = fixture.controller()
            controller.fetchRequest.sortDescriptors = [
                NSSortDescriptor(key: "rank", ascending: true)
            ]
            let text = message { try controller.performFetch() }
            #expect(text.contains("index 2 has an out of order section name 'a'"), "\(text)")
            #expect(controller.fetchedObjects == nil)
        }
    }

    @Test func `requests without an order, for ids or of another class are errors`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1"])
            let bare = NSFetchRequest<NSManagedObject>(entityName: "Task")
            let tracker = ResultsTracker(bare, fixture.context, nil, nil)
            #expect(throws: CoreDataError.self) { try tracker.checkOrder() }
            let ids = fixture.controller()
            ids.fetchRequest.resultType = .managedObjectIDResultType
            #expect(message { try ids.performFetch() }.contains("resultType"))
            let wrong = NSFetchRequest<NSManagedObjectID>(entityName: "Task")
            wrong.sortDescriptors = [NSSortDescriptor(key: "rank", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: wrong, managedObjectContext: fixture.context,
                sectionNameKeyPath: nil, cacheName: nil)
            #expect(message { try controller.performFetch() }.contains("NSManagedObjectID"))
            let odd = fixture.controller(sections: "flavour")
            odd.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "rank", ascending: true)]
            #expect(message { try odd.performFetch() }.contains("flavour"))
        }
    }

    @Test func `D-052: a cache's name stores no sections, but detects a changed request`() throws {
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            try fixture.fill(["a1", "b2"])
            let name = "tasks \(UUID().uuidString)"
            let controller = fixture.controller(cache: name)
            #expect(controller.cacheName == name)
            try controller.performFetch()
            try controller.performFetch()
            controller.fetchRequest.predicate = NSPredicate(format: "rank > 1")
            #expect(message { try controller.performFetch() }.contains("deleteCache"))
            NSFetchedResultsController<NSManagedObject>.deleteCache(withName: name)
            try controller.performFetch()
            #expect(ResultsFixture.show(controller) == ["b: b2"])
        }
    }
}
