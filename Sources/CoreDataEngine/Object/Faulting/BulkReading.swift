import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Reads the rows or the to-many members of many objects with one statement, for prefetching and
/// delete propagation.
///
/// Objects whose data is already loaded are skipped.
enum BulkReading {
    /// Fires all faults among the objects. First reads the rows of those that have no current row.
    static func realise(
        _ objects: [NSManagedObject], _ layout: EntityLayout, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        // A single fault is fired by the line below. This first looks for the row in the row cache,
        // so the row is not read here.
        if objects.count > 1 { try attachRows(to: objects, layout, in: context) }
        for object in objects where object.state.contains(.fault) { _ = try object.isReadable() }
    }

    /// Attaches rows to the faults that have no row of the current generation. Runs at most one
    /// SELECT.
    ///
    /// - Returns: the rows that it read.
    @discardableResult
    static func attachRows(
        to objects: [NSManagedObject], _ layout: EntityLayout, in context: NSManagedObjectContext
    ) throws(CoreDataError) -> FetchedRows {
        context.notifyWatcher(.comparesGenerations)
        let generation = context.source.generation
        var keys = ContiguousArray<ObjectKey>()
        for object in objects where object.state.contains(.fault) {
            if let block = object.block, block.generation == generation { continue }
            keys.append(object.objectKey)
        }
        guard !keys.isEmpty else { return FetchedRows() }
        let rows = try context.source.rows(keys, entity: layout)
        context.registry.attachToFaults(rows)
        return rows
    }

    /// Reads a to-many relationship for the objects whose members are not loaded.
    ///
    /// Runs at most one SELECT, or two for a join table.
    /// - Returns: the rows that it read.
    @discardableResult
    static func loadMembers(
        of objects: [NSManagedObject], _ layout: EntityLayout, _ slot: Int,
        in context: NSManagedObjectContext
    ) throws(CoreDataError) -> FetchedRows {
        let owners = ContiguousArray(objects).keeping {
            $0.cells != nil && !$0.state.contains(.inaccessible)
                && $0.relationships?.members(slot)?.isLoaded != true
        }
        guard !owners.isEmpty else { return FetchedRows() }
        let found = try context.source.destinations(
            ofAll: owners.objectKeys, entity: layout, slot: slot)
        let family = context.binding.layout[layout.toMany[slot].destinationIndex]
        switch found.members {
        case .counts(let counts):
            assert(counts.count == owners.count, "the number of counts is not the number of owners")
            context.registry.objects(
                for: found.rows, family: family, groups: counts
            ) { index, members in
                owners.lend(index) { $0.takeMembers(slot, members, in: context) }
            }
        case .keys(let keys, let counts):
            assert(counts.count == owners.count, "the number of counts is not the number of owners")
            // Until their owners refer to them, only this array keeps the objects of the rows
            // alive.
            let destinations = context.registry.objects(
                for: found.rows, family: family)
            context.registry.objects(for: keys, groups: counts) { index, members in
                owners.lend(index) { $0.takeMembers(slot, members, in: context) }
            }
            withExtendedLifetime(destinations) {}
        }
        return found.rows
    }
}
