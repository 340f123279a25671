import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace

/// Runs one fetch request for one context: plans it, queries the store, registers the objects, and
/// applies unsaved changes.
///
/// Called by the context's fetch methods, on its queue.
struct FetchExecution {
    private let options: FetchRequestOptions
    private let context: NSManagedObjectContext
    let plan: FetchPlan

    init(
        _ options: FetchRequestOptions, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        self.options = options
        self.context = context
        guard let name = options.entityName else {
            throw CoreDataError(
                .invalidArgument, "A fetch request must have an entity. Set entityName or entity.")
        }
        let entity = try context.entityDescription(named: name).layout
        var predicate = options.predicate
        // Stores compare the encoded bytes of transformable values. A parent context compares the
        // objects.
        if let given = predicate, context.parent == nil {
            predicate = try TransformedConstants(entity, context.binding.layout).storable(given)
        }
        var plan = FetchPlan(
            entity: entity, includesSubentities: options.includesSubentities,
            predicate: predicate?.mappingConstants(PredicateConstants(context).storable),
            sortDescriptors: options.sortDescriptors ?? [], limit: options.fetchLimit,
            offset: options.fetchOffset)
        if let stores = options.affectedStores, !stores.isEmpty {
            plan.storeIdentifiers = stores.map(\.storeIdentifier)
        }
        self.plan = plan
    }

    // MARK: The three kinds of results

    /// - Parameter report: receives the results. It is called before prefetching and realising read
    ///   more rows, because another context may save before those reads.
    func objects(
        _ report: ([NSManagedObject]) -> Void = { _ in }
    ) throws(CoreDataError) -> [NSManagedObject] {
        let overlay = try makeOverlay()
        var fetched: Set<ObjectIdentifier> = []
        var objects = try storedObjects { rows in
            if options.returnsObjectsAsFaults { return }
            fetched = Set(rows.blocks.map(ObjectIdentifier.init))
        }
        if let overlay {
            // The overlay's predicate may read results, and another context may have deleted their
            // rows since the statement.
            for object in objects where !fetched.isEmpty && !object.state.contains(.deleted) {
                try object.realise(ifReadInto: fetched, in: context)
            }
            objects = try overlay.apply(to: objects, limit: options.fetchLimit)
        }
        report(objects)
        if let paths = options.relationshipKeyPathsForPrefetching, !paths.isEmpty {
            var prefetching = Prefetching(context, after: fetched)
            try prefetching.run(paths, for: objects, entity: plan.entity)
            if !options.returnsObjectsAsFaults { fetched = prefetching.fetched }
        }
        if options.shouldRefreshRefetchedObjects { try refresh(objects) }
        if !options.returnsObjectsAsFaults {
            for object in objects {
                try object.realise(ifReadInto: fetched, in: context)
                try object.decodeTransformed()
            }
        }
        context.checkInvariants()
        return objects
    }

    func ids() throws(CoreDataError) -> [NSManagedObjectID] {
        let overlay = try makeOverlay()
        if let overlay {
            return try overlay.apply(
                to: try storedObjects(), limit: options.fetchLimit, sorts: false
            ).map(\.objectID)
        }
        guard isAsked else { return [] }
        if let custom { return try answers(of: custom, as: .managedObjectIDResultType) }
        let started = clock()
        let keys = try context.source.fetchKeys(plan)
        let ids = context.registry.identifiers(for: consume keys)
        report(rows: ids.count, since: started)
        return ids
    }

    func count() throws(CoreDataError) -> Int {
        if let overlay = try makeOverlay() {
            let found = try overlay.apply(to: try storedObjects(), limit: options.fetchLimit)
            return found.count
        }
        guard isAsked else { return 0 }
        if let custom {
            let counts: [NSNumber] = try answers(of: custom, as: .countResultType)
            return counts.first?.intValue ?? 0
        }
        let started = clock()
        let count = try context.source.count(plan)
        if context.trace.isOn {
            let event = Event.count(
                entity: plan.entity.name, count: count, nanoseconds: clock() &- started)
            context.trace.record(event)
        }
        return count
    }

    /// Dictionaries contain saved values and never unsaved changes.
    func dictionaries() throws(CoreDataError) -> [NSDictionary] {
        if options.includesPendingChanges, !context.isProcessing { try context.processPending() }
        let results = try DictionaryResults(options, entity: plan.entity, in: context)
        guard isAsked else { return [] }
        if let custom { return try answers(of: custom, as: .dictionaryResultType) }
        let started = clock()
        let table = try context.source.fetchTable(plan, results.table)
        report(rows: table.count, since: started)
        return try results.dictionaries(from: table)
    }

    // MARK: Steps

    /// Whether a store that keeps the entity is among the stores that the request names.
    private var isAsked: Bool {
        guard let named = plan.storeIdentifiers else { return true }
        return context.source.stores(of: plan.entity).contains {
            named.contains($0.storeIdentifier)
        }
    }

    /// The custom store that answers the request itself. A request of a child context is not
    /// answered by a custom store, because the parent receives it.
    private var custom: (any RequestAnswering)? {
        guard StoreClasses.areOpen, context.parent == nil else { return nil }
        return context.source.stores(of: plan.entity).first as? any RequestAnswering
    }

    private func answers<T>(
        of store: any RequestAnswering, as type: NSFetchRequestResultType
    ) throws(CoreDataError) -> [T] {
        var asked = options
        asked.resultType = type
        let found = try store.answer(asked, in: context)
        if let answers = found as? [T] { return answers }
        throw CoreDataError(
            .storeOperation,
            "\(Swift.type(of: store)) answered a fetch with objects that are not \(T.self).")
    }

    /// The unsaved changes to apply to the store's results; nil if no change must be applied.
    private func makeOverlay() throws(CoreDataError) -> PendingChangesOverlay? {
        guard options.includesPendingChanges, !context.isProcessing else { return nil }
        try context.processPending()
        return PendingChangesOverlay(
            context: context, plan: plan, predicate: options.predicate)
    }

    /// - Parameter take: receives the rows, unless the fetch reads only keys.
    private func storedObjects(
        _ take: (FetchedRows) -> Void = { _ in }
    ) throws(CoreDataError) -> [NSManagedObject] {
        guard isAsked else { return [] }
        if let custom { return try answers(of: custom, as: .managedObjectResultType) }
        let started = clock()
        var objects: [NSManagedObject] = []
        if options.fetchBatchSize > 0 || !options.includesPropertyValues {
            let keys = try context.source.fetchKeys(plan)
            objects = faults(for: consume keys)
        } else {
            let rows = try context.source.fetchRows(plan)
            objects = context.registry.objects(for: rows, family: plan.entity)
            take(rows)
        }
        report(rows: objects.count, since: started)
        return objects
    }

    /// Creates faults for the fetched keys. If the request has a batch size, the keys are divided
    /// into pages. The first fault of a page that fires reads the rows of the whole page.
    private func faults(for pages: consuming KeyPages) -> [NSManagedObject] {
        let size = options.fetchBatchSize
        guard size > 0 else { return context.registry.objects(for: pages, family: plan.entity) }
        let keys = pages.allKeys
        context.registry.reserve(keys.count, for: plan.entity)
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(keys.count)
        var start = 0
        while start < keys.count {
            let page = ContiguousArray(keys[start..<min(start + size, keys.count)])
            let batch = FaultBatch(keys: page, entity: plan.entity)
            let found = context.registry.objects(for: page)
            for object in found where object.state.contains(.fault) && object.cells == nil {
                object.batch = batch
            }
            objects.append(contentsOf: found)
            start += size
        }
        assert(objects.count == keys.count, "the number of objects is not the number of keys")
        return objects
    }

    private func refresh(_ objects: [NSManagedObject]) throws(CoreDataError) {
        for object in objects
        where !object.state.contains(.fault) && !object.state.contains(.deleted) {
            try context.refreshObject(object, mergeChanges: true)
            if !options.returnsObjectsAsFaults { try object.prepareAccess() }
        }
    }

    private func clock() -> UInt64 {
        context.trace.isOn ? MonotonicClock.now() : 0
    }

    private func report(rows: Int, since started: UInt64) {
        guard context.trace.isOn else { return }
        let event = Event.fetch(
            entity: plan.entity.name, rows: rows,
            nanoseconds: MonotonicClock.now() &- started)
        context.trace.record(event)
    }
}

/// Monotonic time for event durations.
enum MonotonicClock {
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
