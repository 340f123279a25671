import CoreData

final class RecentRequest: NSFetchRequest<NotedObject> {
    var executions = 0

    override func execute() throws -> [NotedObject] {
        executions += 1
        return try super.execute()
    }
    override var entityName: String? { "Noted" }
    override var entity: NSEntityDescription? {
        get { NotedObject.entity() }
        set { super.entity = newValue }
    }
    override var predicate: NSPredicate? {
        get { NSPredicate(format: "title BEGINSWITH 'recent'") }
        set { super.predicate = newValue }
    }
    override var sortDescriptors: [NSSortDescriptor]? {
        get { [NSSortDescriptor(key: "title", ascending: false)] }
        set { super.sortDescriptors = newValue }
    }
    override var fetchLimit: Int {
        get { 1 }
        set { super.fetchLimit = newValue }
    }
    override var fetchOffset: Int {
        get { 1 }
        set { super.fetchOffset = newValue }
    }
    override var fetchBatchSize: Int {
        get { super.fetchBatchSize }
        set { super.fetchBatchSize = newValue }
    }
    override var resultType: NSFetchRequestResultType {
        get { .managedObjectResultType }
        set { super.resultType = newValue }
    }
    override var includesSubentities: Bool {
        get { super.includesSubentities }
        set { super.includesSubentities = newValue }
    }
    override var includesPendingChanges: Bool {
        get { super.includesPendingChanges }
        set { super.includesPendingChanges = newValue }
    }
    override var includesPropertyValues: Bool {
        get { super.includesPropertyValues }
        set { super.includesPropertyValues = newValue }
    }
    override var returnsObjectsAsFaults: Bool {
        get { false }
        set { super.returnsObjectsAsFaults = newValue }
    }
    override var shouldRefreshRefetchedObjects: Bool {
        get { super.shouldRefreshRefetchedObjects }
        set { super.shouldRefreshRefetchedObjects = newValue }
    }
    override var relationshipKeyPathsForPrefetching: [String]? {
        get { ["others"] }
        set { super.relationshipKeyPathsForPrefetching = newValue }
    }
    override var propertiesToFetch: [Any]? {
        get { super.propertiesToFetch }
        set { super.propertiesToFetch = newValue }
    }
    override var propertiesToGroupBy: [Any]? {
        get { super.propertiesToGroupBy }
        set { super.propertiesToGroupBy = newValue }
    }
    override var havingPredicate: NSPredicate? {
        get { super.havingPredicate }
        set { super.havingPredicate = newValue }
    }
    override var returnsDistinctResults: Bool {
        get { super.returnsDistinctResults }
        set { super.returnsDistinctResults = newValue }
    }
}

/// Overrides the standard policies.
final class NotedPolicy: NSMergePolicy {
    override class var error: NSMergePolicy { .overwrite }
    override class var overwrite: NSMergePolicy { .rollback }
    override class var rollback: NSMergePolicy { .overwrite }
    override class var mergeByPropertyStoreTrump: NSMergePolicy { .overwrite }
    override class var mergeByPropertyObjectTrump: NSMergePolicy { .overwrite }
    override var mergeType: NSMergePolicyType { .overwriteMergePolicyType }
}

/// The properties return values that a test sets.
final class NotedMergeConflict: NSMergeConflict {
    override var newVersionNumber: Int { super.newVersionNumber + 1 }
    override var oldVersionNumber: Int { super.oldVersionNumber + 1 }
    override var sourceObject: NSManagedObject { super.sourceObject }
    override var objectSnapshot: [String: Any]? { ["title": "object"] }
    override var cachedSnapshot: [String: Any]? { ["title": "cached"] }
    override var persistedSnapshot: [String: Any]? { ["title": "persisted"] }
}
final class NotedConstraintConflict: NSConstraintConflict {
    override var constraint: [String] { super.constraint + ["more"] }
    override var constraintValues: [String: Any] { ["title": "values"] }
    override var databaseObject: NSManagedObject? { super.databaseObject }
    override var databaseSnapshot: [String: Any]? { ["title": "database"] }
    override var conflictingObjects: [NSManagedObject] { super.conflictingObjects }
    override var conflictingSnapshots: [[AnyHashable: Any]] { super.conflictingSnapshots }
}

/// The properties return values that a test sets.
final class StandInChange: NSPersistentHistoryChange {
    let id: NSManagedObjectID

    init(_ id: NSManagedObjectID) {
        self.id = id
        super.init()
    }
    override var changedObjectID: NSManagedObjectID { id }
    override var changeID: Int64 { 7 }
    override var changeType: NSPersistentHistoryChangeType { .update }
    override var tombstone: [AnyHashable: Any]? { ["title": "t"] }
    override var transaction: NSPersistentHistoryTransaction? { nil }
    override var updatedProperties: Set<NSPropertyDescription>? { [] }
}
final class StandInTransaction: NSPersistentHistoryTransaction {
    var made: [NSPersistentHistoryChange] = []

    override var author: String? { "author" }
    override var bundleID: String { "bundle" }
    override var changes: [NSPersistentHistoryChange]? { made }
    override var contextName: String? { "context" }
    override var processID: String { "process" }
    override var storeID: String { "store" }
    override var timestamp: Date { .distantPast }
    override var token: NSPersistentHistoryToken { super.token }
    override var transactionNumber: Int64 { 8 }
    override func objectIDNotification() -> Notification { super.objectIDNotification() }
}

final class NotedEntityMapping: NSEntityMapping {
    override var name: String! {
        get { "noted " + super.name }
        set { super.name = newValue }
    }
    override var mappingType: NSEntityMappingType {
        get { .copyEntityMappingType }
        set { super.mappingType = newValue }
    }
    override var sourceEntityName: String? {
        get { "Noted" }
        set { super.sourceEntityName = newValue }
    }
}
final class NotedPropertyMapping: NSPropertyMapping {
    override var name: String? {
        get { "noted" }
        set { super.name = newValue }
    }
}
final class NotedMappingModel: NSMappingModel {
    override var entityMappings: [NSEntityMapping]! {
        get { [NotedEntityMapping()] }
        set { super.entityMappings = newValue }
    }
    override class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel { NotedMappingModel() }
}
final class NotedStage: NSMigrationStage {
    override var label: String! {
        get { "noted" }
        set { super.label = newValue }
    }
}
final class NotedManager: NSMigrationManager {
    struct Refusal: Error {}

    override func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String,
        options sOptions: [AnyHashable: Any]? = nil, with mappings: NSMappingModel?,
        toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws { throw Refusal() }
}

final class NotedDescription: NSPersistentStoreDescription {
    override var options: [String: NSObject] { [:] }
    override var sqlitePragmas: [String: NSObject] { ["cache_size": NSNumber(value: 1)] }
}

/// Overrides the text of its ids.
///
/// `@unchecked Sendable` because it adds no state.
final class SpelledStore: NSIncrementalStore, @unchecked Sendable {
    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: "spelled", NSStoreUUIDKey: UUID().uuidString]
    }
    override func newObjectID(
        for entity: NSEntityDescription, referenceObject data: Any
    ) -> NSManagedObjectID { super.newObjectID(for: entity, referenceObject: "row-\(data)") }
    override func referenceObject(for objectID: NSManagedObjectID) -> Any {
        "\(super.referenceObject(for: objectID))".dropFirst(4)
    }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        super.persistentStoreCoordinator
    }
}

final class CachelessController: NSFetchedResultsController<NotedObject> {
    override class func deleteCache(withName name: String?) {}
}

func useOpened(_ context: NotedContext) throws {
    for title in ["recent 1", "recent 2", "old"] {
        NotedObject(context: context).setValue(title, forKey: "title")
    }
    try context.save()
    let request = RecentRequest()
    let found = try request.execute()
    check(request.executions == 1 && found.count == 1, "a request's own execute")
    check(found.first?.value(forKey: "title") as? String == "recent 1", "a request's own answers")
    check(try context.fetch(request) == found, "a context asks the request's members")
    check(try context.count(for: request) == 1, "a count asks the request's members")
    let copy = request.copy() as? NSFetchRequest<NotedObject>
    check(copy?.predicate == request.predicate && copy?.fetchOffset == 1, "a copy asks the same")

    let policy = NotedPolicy(merge: .errorMergePolicyType)
    check(policy.mergeType == .overwriteMergePolicyType, "a policy's own type")
    check(NotedPolicy.error === NSMergePolicy.overwrite, "a policy class's own policies")
    let object = found[0]
    let conflict = NotedMergeConflict(
        source: object, newVersion: 1, oldVersion: 0, cachedSnapshot: nil, persistedSnapshot: nil)
    check(conflict.newVersionNumber == 2 && conflict.cachedSnapshot != nil, "a conflict's own")
    try policy.resolve(optimisticLockingConflicts: [conflict])
    let constraint = NotedConstraintConflict(
        constraint: ["title"], database: nil, databaseSnapshot: nil, conflicting: [object],
        conflictingSnapshots: [])
    check(constraint.constraint == ["title", "more"], "a constraint conflict's own")

    let transaction = StandInTransaction()
    transaction.made = [StandInChange(object.objectID)]
    let info = transaction.objectIDNotification().userInfo
    let told = info?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID>
    check(told == [object.objectID], "a transaction that stands in for one")

    check(NotedMappingModel().entityMappingsByName["noted Noted->"] != nil, "a mapping's own name")
    check(NotedPropertyMapping().name == "noted" && NotedStage().label == "noted", "own names")
    let model = context.persistentStoreCoordinator?.managedObjectModel ?? NSManagedObjectModel()
    let manager = NotedManager(sourceModel: model, destinationModel: model)
    do {
        try manager.migrateStore(
            from: URL(fileURLWithPath: "/a"), type: .sqlite, mapping: NotedMappingModel(),
            to: URL(fileURLWithPath: "/b"), type: .sqlite)
        check(false, "a manager's own migration")
    } catch { check(error is NotedManager.Refusal, "a manager's own migration") }

    let description = NotedDescription(url: URL(fileURLWithPath: "/a"))
    check(description.options.isEmpty, "a description's own options")
    check(description.sqlitePragmas.count == 1, "a description's own pragmas")
    NSPersistentStoreCoordinator.registerStoreClass(SpelledStore.self, forStoreType: "spelled")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let spelled = try coordinator.addPersistentStore(
        ofType: "spelled", configurationName: nil, at: URL(fileURLWithPath: "/spelled"))
    if let spelled = spelled as? SpelledStore, let entity = model.entities.first {
        let id = spelled.newObjectID(for: entity, referenceObject: "7")
        check(id.uriRepresentation().lastPathComponent == "prow-7", "a store's own ids")
        check("\(spelled.referenceObject(for: id))" == "7", "a store's own references")
        check(spelled.persistentStoreCoordinator === coordinator, "a store's own coordinator")
    } else {
        check(false, "a store of its class")
    }
    CachelessController.deleteCache(withName: nil)
}
