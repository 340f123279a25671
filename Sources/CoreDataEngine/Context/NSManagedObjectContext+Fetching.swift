import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace

/// Fetches objects, ids and counts.
extension NSManagedObjectContext {
    /// Fetches the results of a request.
    ///
    /// Costs one SELECT, and another for each level of a prefetched key path. With a batch size, it
    /// costs one SELECT of ids, and another for each batch that is accessed. Pending changes are
    /// processed first.
    ///
    /// - Throws: an error if the store cannot run the request, and the store's failures.
    public final func fetch<T: NSFetchRequestResult>(
        _ request: NSFetchRequest<T>
    ) throws -> [T] {
        guard isSubclass else { return try fetchTyped(request) }
        let found = try fetch(request.withResults(of: (any NSFetchRequestResult).self))
        noteEntity(request)
        return try bridgingErrors { () throws(CoreDataError) in try Self.cast(found) }
    }

    /// Fetches the results of a request without a static type.
    public final func fetch(
        _ request: NSFetchRequest<any NSFetchRequestResult>
    ) throws -> [any NSFetchRequestResult] {
        guard isSubclass else { return try fetchTyped(request) }
        let found = try bridgingServed("fetch(_:)") { () throws(CoreDataError) in
            Result<[Any], any Error> {
                // A subclass that calls `super.fetch(_:)` in its override may call this method.
                if isInOwnFetch { return try fetchTyped(request) }
                isInOwnFetch = true
                defer { isInOwnFetch = false }
                return try (self as any UntypedFetching).fetch(request)
            }
        }
        let results = try found.get()
        return try bridgingErrors { () throws(CoreDataError) in try Self.cast(results) }
    }

    /// Counts the results of a request. Runs one SELECT, or more if the context has unsaved
    /// changes.
    public final func count<T: NSFetchRequestResult>(for request: NSFetchRequest<T>) throws -> Int {
        if isSubclass {
            return try count(for: request.withResults(of: (any NSFetchRequestResult).self))
        }
        return try bridgingServed("count(for:)") { () throws(CoreDataError) in
            try countResults(request.options)
        }
    }

    /// Whether a subclass may override the untyped fetch methods. The typed methods then call them,
    /// as in Core Data.
    private var isSubclass: Bool { type(of: self) != NSManagedObjectContext.self }

    final func fetchTyped<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        let found: [T] = try bridgingServed("fetch(_:)") { () throws(CoreDataError) in
            try typedResults(request.options)
        }
        noteEntity(request)
        return found
    }

    /// Sets the entity of a request that was created with an entity name, as Core Data does at the
    /// first fetch.
    private func noteEntity<T>(_ request: NSFetchRequest<T>) {
        if request.options.entity == nil, let name = request.options.entityName {
            request.options.entity = binding.entity(named: name)
        }
    }

    final func typedResults<T>(_ options: FetchRequestOptions) throws(CoreDataError) -> [T] {
        switch try fetchResults(options) {
        case .objects(let objects): return try typed(objects, options.entityName)
        case .ids(let ids): return try Self.cast(ids)
        case .count(let count): return try Self.cast([NSNumber(value: count)])
        case .dictionaries(let dictionaries): return try Self.cast(dictionaries)
        }
    }

    /// The objects as an array of the request's type. If all classes of the entity's family are of
    /// that type, the objects are not checked one by one.
    private func typed<T>(_ objects: [NSManagedObject], _ entityName: String?) throws(CoreDataError)
        -> [T]
    {
        guard T.self is NSManagedObject.Type,
            let entity = entityName.flatMap(binding.entity(named:)),
            entity.layout.familyRange.allSatisfy({ binding.objectClass(at: $0) is T.Type })
        else { return try Self.cast(objects) }
        // Safe: the class of every object belongs to the entity or a subentity, and all these
        // classes are T or subclasses of T. So the array's elements have T's representation.
        return unsafeBitCast(objects, to: [T].self)
    }

    private static func cast<U, T>(_ results: [U]) throws(CoreDataError) -> [T] {
        // Safe: the types are the same. A cast would check each element.
        if U.self == T.self { return unsafeBitCast(results, to: [T].self) }
        if let same = results as? [T] { return same }
        throw CoreDataError(
            .invalidArgument,
            "The fetch returned \(U.self) objects, but the request is declared for \(T.self)."
                + " Declare NSFetchRequest<\(U.self)>, or set managedObjectClassName of the entity."
        )
    }

    // MARK: Throwing cores

    /// The result of a fetch.
    package enum FetchResults {
        case objects([NSManagedObject])
        case ids([NSManagedObjectID])
        case count(Int)
        case dictionaries([NSDictionary])
    }

    package final func fetchResults(
        _ options: FetchRequestOptions
    ) throws(CoreDataError) -> FetchResults {
        try checkConfined("fetch(_:)")
        try options.checkSupported()
        guard let listener else { return try foundResults(options) }
        let found = try emittingFailure("fetch(_:)") { () throws(CoreDataError) in
            try unheard { () throws(CoreDataError) in try foundResults(options) }
        }
        switch found {
        case .objects(let objects): listener.note(.fetched(options, objects))
        case .ids(let ids): listener.note(.counted(options, ids.count))
        case .dictionaries(let found): listener.note(.counted(options, found.count))
        // `countResults` also reports an event, but inside of `unheard` the listener ignores it.
        case .count(let count): listener.note(.counted(options, count))
        }
        return found
    }

    private func foundResults(
        _ options: FetchRequestOptions
    ) throws(CoreDataError) -> FetchResults {
        switch options.resultType {
        case .countResultType: return .count(try countResults(options))
        case .managedObjectIDResultType:
            let ids = try FetchExecution(options, in: self).ids()
            notifyWatcher(.fetched(options, found: ids.map(\.objectKey), count: ids.count))
            return .ids(ids)
        case .dictionaryResultType:
            let dictionaries = try FetchExecution(options, in: self).dictionaries()
            notifyWatcher(.fetched(options, found: [], count: dictionaries.count))
            return .dictionaries(dictionaries)
        default:
            let objects = try FetchExecution(options, in: self).objects { found in
                notifyWatcher(.fetched(options, found: found.map(\.objectKey), count: found.count))
            }
            return .objects(objects)
        }
    }

    package final func countResults(
        _ options: FetchRequestOptions
    ) throws(CoreDataError) -> Int {
        try checkConfined("count(for:)")
        try options.checkSupported()
        let count = try emittingFailure("count(for:)") { () throws(CoreDataError) in
            try unheard { () throws(CoreDataError) in
                try FetchExecution(options, in: self).count()
            }
        }
        emit(.counted(options, count))
        notifyWatcher(.fetched(options, found: [], count: count))
        return count
    }
}

/// Selects the method that subclasses override, which differs from
/// ``NSManagedObjectContext/fetch(_:)`` only by the type of its result.
private protocol UntypedFetching {
    func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any]
}

extension NSManagedObjectContext: UntypedFetching {}
