import CoreDataModel
import CoreDataStore
import Foundation

// Reports a change to a delegate. Called by `ResultsTracker`.

extension ResultsChange {
    /// Reports sections first, then objects: deleted, inserted, moved, updated.
    ///
    /// - Returns: the number of calls.
    func report(
        to delegate: any NSFetchedResultsControllerDelegate,
        from controller: NSFetchedResultsController<any NSFetchRequestResult>,
        info: (ResultsList.Section, ResultsList) -> any NSFetchedResultsSectionInfo
    ) -> Int {
        var calls = 0
        let (oldNames, newNames) = (
            Set(old.sections.map(\.name)), Set(new.sections.map(\.name))
        )
        for (index, section) in old.sections.enumerated() where !newNames.contains(section.name) {
            // The section no longer contains objects, so it is reported as empty.
            let emptied = ResultsList.Section(name: section.name, range: 0..<0)
            delegate.controller(
                controller, didChange: info(emptied, new), atSectionIndex: index, for: .delete)
            calls += 1
        }
        for (index, section) in new.sections.enumerated() where !oldNames.contains(section.name) {
            delegate.controller(
                controller, didChange: info(section, new), atSectionIndex: index, for: .insert)
            calls += 1
        }
        let groups: [(ContiguousArray<Move>, NSFetchedResultsChangeType)] = [
            (deleted, .delete), (inserted, .insert), (moved, .move), (updated, .update),
        ]
        for (moves, type) in groups {
            for move in moves {
                delegate.controller(
                    controller, didChange: move.object, at: move.old.map(old.path(at:)), for: type,
                    newIndexPath: move.new.map(new.path(at:)))
            }
            calls += moves.count
        }
        return calls
    }

    /// The change as a difference of ids. A moved or updated object is a removal and an insertion.
    var difference: CollectionDifference<NSManagedObjectID> {
        var changes: [CollectionDifference<NSManagedObjectID>.Change] = []
        changes.reserveCapacity(
            deleted.count + inserted.count + 2 * (moved.count + updated.count))
        for moves in [deleted, inserted, moved, updated] {
            for move in moves {
                let id = move.object.objectID
                if let from = move.old {
                    changes.append(.remove(offset: from, element: id, associatedWith: move.new))
                }
                if let to = move.new {
                    changes.append(.insert(offset: to, element: id, associatedWith: move.old))
                }
            }
        }
        // The initialiser returns nil for an inconsistent list of changes. This list is consistent:
        // each offset occurs once, associated changes refer to each other, and the other objects
        // keep their order.
        return CollectionDifference(changes) ?? old.identifiers(to: new)
    }
}

extension ResultsList {
    fileprivate func identifiers(to new: ResultsList) -> CollectionDifference<NSManagedObjectID> {
        new.objects.map(\.objectID).difference(from: objects.map(\.objectID))
    }
}
