import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Prefetches relationships, level by level along key paths.
///
/// Runs one SELECT for each level (two through a join table), for any number of objects.
struct Prefetching {
    let context: NSManagedObjectContext

    func run(
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
    private func step(
        _ name: String, _ keyPath: String, from objects: [NSManagedObject],
        _ layout: EntityLayout, isLast: Bool
    ) throws(CoreDataError) -> ([NSManagedObject], EntityLayout) {
        if let slot = layout.toManySlot(named: name) {
            return try toMany(slot, keyPath, from: objects, layout, isLast: isLast)
        }
        if let slot = layout.valueSlot(named: name), let toOne = layout.values[slot].toOne {
            let destination = context.binding.layout[toOne.destinationIndex]
            return (try self.toOne(slot, keyPath, from: objects, destination), destination)
        }
        let known = layout.relationshipNames
        throw CoreDataError(
            .invalidArgument,
            "'\(name)' in the prefetching key path '\(keyPath)' is not a relationship of"
                + " '\(layout.name)'; its relationships are:"
                + " \(known.isEmpty ? "none" : known.joined(separator: ", ")).")
    }

    private func toMany(
        _ slot: Int, _ keyPath: String, from objects: [NSManagedObject],
        _ layout: EntityLayout, isLast: Bool
    ) throws(CoreDataError) -> ([NSManagedObject], EntityLayout) {
        let rows = try BulkReading.loadMembers(of: objects, layout, slot, in: context)
        report(keyPath, rows)
        var next: [NSManagedObject] = []
        for object in objects where !isLast {
            guard let members = object.relationships?.members(slot) else { continue }
            next.append(contentsOf: members.members.array)
        }
        return (next, context.binding.layout[layout.toMany[slot].destinationIndex])
    }

    private func toOne(
        _ slot: Int, _ keyPath: String, from objects: [NSManagedObject], _ layout: EntityLayout
    ) throws(CoreDataError) -> [NSManagedObject] {
        var next: [NSManagedObject] = []
        var seen = Set<ObjectIdentifier>()
        for object in objects {
            guard let destination = try object.toOneDestination(slot) else { continue }
            if seen.insert(ObjectIdentifier(destination)).inserted { next.append(destination) }
        }
        try BulkReading.attachRows(to: next, layout, in: context)
        report(keyPath, next.count)
        return next
    }

    private func report(_ keyPath: String, _ rows: Int) {
        if context.trace.isOn { context.trace.record(.prefetch(keyPath: keyPath, rows: rows)) }
    }
}
