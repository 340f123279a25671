import CoreDataModel
import CoreDataPredicate
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Applies the calls of the delegate to a simulated table. The table must equal the results of the
/// controller.
struct ResultsMirrorTests {
    /// A table view with the names of objects by section.
    private final class Table: NSObject, NSFetchedResultsControllerDelegate {
        typealias Change = (type: NSFetchedResultsChangeType, old: IndexPath?, new: IndexPath?)
        var rows: [[ObjectIdentifier]] = []
        private var gone: IndexSet = []
        private var came: IndexSet = []
        private var changes: [(ObjectIdentifier, Change)] = []

        func controllerWillChangeContent(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>
        ) { (gone, came, changes) = ([], [], []) }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChange sectionInfo: any NSFetchedResultsSectionInfo,
            atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
        ) {
            if type == .delete { gone.insert(sectionIndex) } else { came.insert(sectionIndex) }
        }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChange anObject: Any, at indexPath: IndexPath?,
            for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            changes.append(
                (ObjectIdentifier(anObject as AnyObject), (type, indexPath, newIndexPath)))
        }

        func controllerDidChangeContent(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>
        ) {
            let outs = changes.filter { [.delete, .move].contains($0.1.type) }
                .compactMap(\.1.old).sorted(by: >)
            for path in outs { rows[path[0]].remove(at: path[1]) }
            for section in gone.reversed() {
                #expect(rows[section].isEmpty)
                rows.remove(at: section)
            }
            for section in came { rows.insert([], at: section) }
            let ins = changes.filter { [.insert, .move].contains($0.1.type) }
                .compactMap { change in change.1.new.map { (change.0, $0) } }
                .sorted { $0.1 < $1.1 }
            for (object, path) in ins { rows[path[0]].insert(object, at: path[1]) }
            for (object, change) in changes where change.type == .update {
                if let path = change.new { #expect(rows[path[0]][path[1]] == object) }
            }
        }
    }

    private func rows(
        _ controller: NSFetchedResultsController<NSManagedObject>
    ) -> [[ObjectIdentifier]] {
        (controller.sections ?? []).map { section in
            (section.objects ?? []).map { ObjectIdentifier($0 as AnyObject) }
        }
    }

    private func change(
        _ fixture: ResultsFixture, _ objects: inout [NSManagedObject],
        _ random: inout some RandomNumberGenerator
    ) throws {
        let kinds = ["a", "b", "c", "d"]
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2:
            let name = (kinds.randomElement(using: &random) ?? "a") + "\(objects.count * 7 % 50)"
            objects.append(fixture.add(name))
        case 3:
            guard let index = objects.indices.randomElement(using: &random) else { return }
            fixture.context.delete(objects.remove(at: index))
        case 4, 5:
            let kind = kinds.randomElement(using: &random)
            objects.randomElement(using: &random)?.setValue(kind, forKey: "kind")
        case 6, 7:
            let rank = Int.random(in: 0..<50, using: &random)
            objects.randomElement(using: &random)?.setValue(rank, forKey: "rank")
        case 8:
            let isDone = Bool.random(using: &random)
            objects.randomElement(using: &random)?.setValue(isDone, forKey: "done")
        default: try fixture.context.save()
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6])
    func `applying the delegate's calls has the result of a new fetch`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try ResultsFixture()
        try fixture.context.performAndWait {
            let table = Table()
            let open = seed % 2 == 0 ? nil : NSPredicate(format: "done == NO")
            let controller = fixture.controller(predicate: open)
            controller.delegate = table
            try controller.performFetch()
            var objects: [NSManagedObject] = []
            for _ in 0..<150 {
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    try change(fixture, &objects, &random)
                }
                fixture.context.processPendingChanges()
                #expect(table.rows == rows(controller))
                let fresh = fixture.controller(predicate: open)
                try fresh.performFetch()
                #expect(ResultsFixture.show(controller) == ResultsFixture.show(fresh))
            }
        }
    }
}
