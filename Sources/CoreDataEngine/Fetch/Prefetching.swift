import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Prefetches relationships, level by level along key paths.
///
/// Runs one SELECT for each level (two through a join table), for any number of objects.
struct Prefetching {
    private let context: NSManagedObjectContext
    /// The blocks of the rows that the fetch and its prefetching have read.
    private(set) var fetched: Set<ObjectIdentifier>

    /// - Parameter fetched: the blocks of the rows that the fetch has read; empty if its results
    ///   remain faults.
    init(_ context: NSManagedObjectContext, after fetched: Set<ObjectIdentifier>) {
        self.context = context
        self.fetched = fetched
    }

    mutating func run(
        _ keyPaths: [String], for objects: [NSManagedObject], entity: EntityLayout
    ) throws(CoreDataError) {
        for keyPath in keyPaths {
            var level = objects
            var layout = entity
            let names = keyPath.split(separator: ".").map(String.init)
            for (index, name) in names.enumerated() {
                let isLast = index == names.count - 1
                (level, layout) = try step(name, keyPath, from: level, layout, isLast: isLast)
            }
        }
    }

    /// - Parameter isLast: whether the next level's objects are not needed.
    private mutating func step(
        _ name: String, _ keyPath: String, from objects: [NSManagedObject],
        _ layout: EntityLayout, isLast: Bool
    ) throws(CoreDataError) -> ([NSManagedObject], EntityLayout) {
        if let slot = layout.toManySlot(named: name) {
            return try toMany(slot, keyPath, from: objects, layout, isLast: isLast)
        }
        if let slot = layout.valueSlot(named: name), let toOne = layout.values[slot].toOne {
            let destination = context.binding.layout[toOne.destinationIndex]
            let next = try self.toOne(slot, keyPath, from: objects, destination)
            return (next, destination)
        }
        let known = layout.relationshipNames
        throw CoreDataError(
            .invalidArgument,
            "'\(name)' in the prefetching key path '\(keyPath)' is not a relationship of"
                + " '\(layout.name)'; its relationships are:"
                + " \(known.isEmpty ? "none" : known.joined(separator: ", ")).")
    }

    private mutating func toMany(
        _ slot: Int, _ keyPath: String, from objects: [NSManagedObject],
        _ layout: EntityLayout, isLast: Bool
    ) throws(CoreDataError) -> ([NSManagedObject], EntityLayout) {
        let rows = try BulkReading.loadMembers(of: objects, layout, slot, in: context)
        note(rows, keyPath, rows.count)
        var next: [NSManagedObject] = []
        for object in objects where !isLast {
            guard let members = object.relationships?.members(slot) else { continue }
            next.append(contentsOf: members.members.array)
        }
        return (next, context.binding.layout[layout.toMany[slot].destinationIndex])
    }

    private mutating func toOne(
        _ slot: Int, _ keyPath: String, from objects: [NSManagedObject], _ layout: EntityLayout
    ) throws(CoreDataError) -> [NSManagedObject] {
        var next: [NSManagedObject] = []
        var seen = Set<ObjectIdentifier>()
        for object in objects {
            try object.realise(ifReadInto: fetched, in: context)
            guard let destination = object.destination(at: slot) else { continue }
            if seen.insert(ObjectIdentifier(destination)).inserted { next.append(destination) }
        }
        note(try BulkReading.attachRows(to: next, layout, in: context), keyPath, next.count)
        return next
    }

    private mutating func note(_ rows: FetchedRows, _ keyPath: String, _ count: Int) {
        fetched.formUnion(rows.blocks.map(ObjectIdentifier.init))
        if context.trace.isOn { context.trace.record(.prefetch(keyPath: keyPath, rows: count)) }
    }
}
