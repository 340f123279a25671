import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// What an event does to a list of results: the new list, and the difference in four parts.
///
/// Made by `ResultsTracker`. An object that fits where it stands stays there; one that does not
/// is moved, and as few as possible are.
struct ResultsChange {
    let old: ResultsList
    let new: ResultsList
    /// In the order of the old list.
    private(set) var deleted: [NSManagedObject] = []
    /// In the order of the new list, as the following ones.
    private(set) var inserted: [NSManagedObject] = []
    private(set) var moved: [NSManagedObject] = []
    private(set) var updated: [NSManagedObject] = []

    /// What happened to objects, before it is known where they stand.
    struct Event {
        var removed: Set<ObjectIdentifier> = []
        /// Members of the old list that still belong.
        var changed: Set<ObjectIdentifier> = []
        var added: [NSManagedObject] = []

        var isEmpty: Bool { removed.isEmpty && changed.isEmpty && added.isEmpty }
    }

    var isEmpty: Bool {
        deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    init(_ event: Event, to old: ResultsList, in scope: ResultsScope) throws {
        var builder = Builder(event, scope, old.entries)
        try builder.keep()
        let entries = try builder.merged()
        self.old = old
        new = try ResultsList(entries, hasSections: scope.sectionKeys != nil)
        deleted = old.objects.filter { event.removed.contains(ObjectIdentifier($0)) }
        let added = Set(event.added.map { ObjectIdentifier($0) })
        for entry in entries {
            let id = ObjectIdentifier(entry.object)
            if added.contains(id) {
                inserted.append(entry.object)
            } else if builder.displaced.contains(id) {
                moved.append(entry.object)
            } else if event.changed.contains(id), !entry.object.state.contains(.inserted) {
                // A new object is reported once, however often it changes until it is saved.
                updated.append(entry.object)
            }
        }
        assert(
            new.objects.count == old.objects.count - deleted.count + inserted.count,
            "every object is told of once")
        assert(deleted.count == event.removed.count, "an object was removed that was not there")
    }
}

extension ResultsChange {
    /// Works out the order.
    private struct Builder {
        private let event: Event
        private let scope: ResultsScope
        private let old: ContiguousArray<ResultsList.Entry>
        private var order: ObjectOrder
        var kept = ContiguousArray<ResultsList.Entry>()
        var loose: [ResultsList.Entry] = []
        /// What stands elsewhere now, or in another section.
        private(set) var displaced: Set<ObjectIdentifier> = []

        init(
            _ event: Event, _ scope: ResultsScope, _ old: ContiguousArray<ResultsList.Entry>
        ) {
            self.event = event
            self.scope = scope
            self.old = old
            order = ObjectOrder(scope.sortDescriptors)
        }

        /// Leaves everything in place that fits there; first what changed in other values than
        /// those that make the order.
        mutating func keep() throws(PredicateEvaluationError) {
            kept = old.filter { !event.removed.contains(ObjectIdentifier($0.object)) }
            guard !event.changed.isEmpty else { return }
            var open = event.changed
            var calm: Set<ObjectIdentifier> = []
            for entry in kept where open.contains(ObjectIdentifier(entry.object)) {
                if scope.keepsOrder(entry.object) { calm.insert(ObjectIdentifier(entry.object)) }
            }
            for group in [calm, open.subtracting(calm)] where !group.isEmpty {
                try settle(group, open)
                open.subtract(group)
            }
        }

        /// Judges the members of a group between their neighbours, leaving out what is open.
        private mutating func settle(
            _ group: Set<ObjectIdentifier>, _ open: Set<ObjectIdentifier>
        ) throws(PredicateEvaluationError) {
            let entries = kept
            kept.removeAll(keepingCapacity: true)
            var last: NSManagedObject?
            var next = 0
            for (index, entry) in entries.enumerated() {
                let id = ObjectIdentifier(entry.object)
                guard group.contains(id) else {
                    kept.append(entry)
                    if !open.contains(id) { last = entry.object }
                    continue
                }
                next = max(next, index + 1)
                while next < entries.count, open.contains(ObjectIdentifier(entries[next].object)) {
                    next += 1
                }
                let renewed = try scope.entry(entry.object)
                let follower = next < entries.count ? entries[next].object : nil
                let fits = try fits(renewed.object, between: last, and: follower)
                if !fits || renewed.section != entry.section { displaced.insert(id) }
                if fits {
                    kept.append(renewed)
                    last = renewed.object
                } else {
                    loose.append(renewed)
                }
            }
        }

        private mutating func fits(
            _ object: NSManagedObject, between last: NSManagedObject?, and next: NSManagedObject?
        ) throws(PredicateEvaluationError) -> Bool {
            if let last, try !order.areOrdered(last, object) { return false }
            guard let next else { return true }
            return try order.areOrdered(object, next)
        }

        /// Puts the rest where it belongs: behind its equals.
        mutating func merged() throws -> ContiguousArray<ResultsList.Entry> {
            var rest = loose
            for object in event.added { rest.append(try scope.entry(object)) }
            guard !rest.isEmpty else { return kept }
            rest = try order.sorted(rest)
            var result = ContiguousArray<ResultsList.Entry>()
            result.reserveCapacity(kept.count + rest.count)
            var start = 0
            for entry in rest {
                let end = try place(of: entry, from: start)
                result.append(contentsOf: kept[start..<end])
                result.append(entry)
                start = end
            }
            result.append(contentsOf: kept[start...])
            return result
        }

        /// The first place from `start` on whose object must come later.
        private mutating func place(
            of entry: ResultsList.Entry, from start: Int
        ) throws(PredicateEvaluationError) -> Int {
            var (low, high) = (start, kept.count)
            while low < high {
                let middle = (low + high) / 2
                if try order.areOrdered(kept[middle].object, entry.object) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }
    }
}
