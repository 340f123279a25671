import CoreDataModel
import CoreDataPredicate
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// A list of tasks by kind and rank, and a delegate that records its calls.
final class ResultsFixture {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let notes = ResultsNotes()

    init() throws {
        let model = try MigrationFixture.model(
            """
            <entity name="Task"><attribute name="kind" optional="YES" attributeType="String"/>\
            <attribute name="rank" attributeType="Integer 32" defaultValueString="0"/>\
            <attribute name="done" attributeType="Boolean" defaultValueString="NO"/>\
            <attribute name="note" optional="YES" attributeType="String"/></entity>\
            <entity name="Chore" parentEntity="Task"/>
            """)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: nil, options: nil)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Adds and saves objects. A name such as `a1` consists of the kind and the rank.
    func fill(_ names: [String]) throws {
        for name in names { add(name) }
        try context.save()
    }

    @discardableResult
    func add(_ name: String, entity: String = "Task") -> NSManagedObject {
        make(
            entity, context,
            ["kind": String(name.prefix(1)), "rank": Int(name.dropFirst()) ?? 0])
    }

    func controller(
        sections: String? = "kind", predicate: NSPredicate? = nil, cache: String? = nil
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Task")
        request.predicate = predicate
        request.sortDescriptors =
            (sections.map { [NSSortDescriptor(key: $0, ascending: true)] } ?? [])
            + [NSSortDescriptor(key: "rank", ascending: true)]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections,
            cacheName: cache)
    }

    /// A controller that has performed its fetch, with the delegate `notes`.
    func following(
        sections: String? = "kind", predicate: NSPredicate? = nil
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let controller = controller(sections: sections, predicate: predicate)
        controller.delegate = notes
        try controller.performFetch()
        return controller
    }

    /// The calls that the delegate receives because of the change.
    func told(_ change: () throws -> Void) rethrows -> [String] {
        notes.lines = []
        try change()
        context.processPendingChanges()
        return notes.lines
    }

    static func name(_ object: Any) -> String {
        guard let object = object as? NSManagedObject else { return "?" }
        return "\(object.value(forKey: "kind") ?? "-")\(object.value(forKey: "rank") ?? "")"
    }

    static func show(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
        (controller.sections ?? []).map { section in
            "\(section.name): \((section.objects ?? []).map(name).joined(separator: " "))"
        }
    }
}

final class ResultsNotes: NSObject, NSFetchedResultsControllerDelegate {
    var lines: [String] = []
    /// The controller that was passed to the last call.
    var given: NSFetchedResultsController<any NSFetchRequestResult>?

    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        given = controller
        lines.append("will")
    }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { lines.append("did") }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) { lines.append("\(type) section \(sectionInfo.name) \(sectionIndex)") }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        func text(_ path: IndexPath?) -> String { path.map { "\($0[0]).\($0[1])" } ?? "-" }
        lines.append(
            "\(type) \(ResultsFixture.name(anObject)) \(text(indexPath)) \(text(newIndexPath))")
    }
}

final class DifferenceNotes: NSObject, NSFetchedResultsControllerDelegate {
    var differences: [CollectionDifference<NSManagedObjectID>] = []
    var calls = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { differences.append(diff) }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { calls += 1 }
}
