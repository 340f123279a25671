import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Synchronization

/// Migrates a store: reads its objects with one Core Data stack and writes them with another.
///
/// Objects are plain `NSManagedObject`s, regardless of the classes that the models name. A manager
/// migrates on the calling thread; other threads may use `cancelMigrationWithError(_:)` and
/// `migrationProgress` meanwhile.
open class NSMigrationManager: NSObject {
    private let models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)
    private let shared = Mutex(Shared())
    private var associations = MigrationAssociations()
    private var stacks: MigrationStacks?
    private var mapping: NSMappingModel?
    private var current: NSEntityMapping?
    /// The UUID and the program's metadata for the new store.
    var inheritedMetadata: [String: Any] = [:]
    var configuration: String?
    final var rowsWritten = 0

    private struct Shared {
        var progress: Float = 0
        var cancellation: (any Error & Sendable)?
    }

    /// Data that policies share while a migration runs.
    open var userInfo: [AnyHashable: Any]?
    /// Whether a store may use its own migration manager. This setting is ignored, because a
    /// migration always reads and writes objects.
    open var usesStoreSpecificMigrationManager = true

    /// Creates a manager for migrations from one model to another.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        models = (sourceModel, destinationModel)
        super.init()
    }

    /// The model of the stores that are read.
    open var sourceModel: NSManagedObjectModel { models.source }
    /// The model of the stores that are written.
    open var destinationModel: NSManagedObjectModel { models.destination }

    /// The current mapping model. Traps while no migration runs.
    open var mappingModel: NSMappingModel { running(mapping, "mappingModel") }
    /// The current entity mapping. Traps while no migration runs.
    open var currentEntityMapping: NSEntityMapping { running(current, "currentEntityMapping") }
    /// The context that reads. Traps while no migration runs.
    open var sourceContext: NSManagedObjectContext {
        running(stacks?.source, "sourceContext")
    }
    /// The context that writes. Traps while no migration runs.
    open var destinationContext: NSManagedObjectContext {
        running(stacks?.destination, "destinationContext")
    }

    private func running<T>(_ value: T?, _ member: StaticString) -> T {
        guard let value else {
            trap(
                "NSMigrationManager.\(member): no migration is running; "
                    + "use it in the methods of an NSEntityMigrationPolicy.")
        }
        return value
    }

    /// The completed fraction, from 0 to 1; 0 again after the end.
    open var migrationProgress: Float { shared.withLock { $0.progress } }

    /// Ends the running migration with this error, once the current object is done.
    open func cancelMigrationWithError(_ error: any Error) {
        // Threads can share an `NSError`, because it is immutable.
        let boxed = error as NSError
        shared.withLock { $0.cancellation = boxed }
    }

    // MARK: Migrating

    /// Migrates a store into another file.
    ///
    /// Passes three times over the entity mappings (objects, relationships, validation) and saves
    /// once. The source is only read. On failure, a destination file that did not exist before is
    /// removed.
    ///
    /// - Parameters:
    ///   - mappings: maps the objects; required here.
    /// - Throws:
    ///   - 134140 without a mapping model.
    ///   - 134150 and 134160 for a store that cannot be opened.
    ///   - 134170 for an invalid policy class or expression.
    ///   - A policy's own errors, and the error passed to `cancelMigrationWithError(_:)`.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String,
        options sOptions: [AnyHashable: Any]? = nil, with mappings: NSMappingModel?,
        toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrate(
            from: place(sourceURL, sStoreType, sOptions), with: mappings,
            to: place(dURL, dStoreType, dOptions))
    }

    /// Migrates a store into another file, with store types as `NSPersistentStore.StoreType`
    /// values.
    ///
    /// - Parameter mapping: the mapping model by which the objects are migrated.
    /// - Throws: the errors of the method that takes types by name, except for 134140 (missing
    ///   mapping model).
    open func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
        options sourceOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel,
        to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
            toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
            destinationOptions: destinationOptions)
    }

    /// Clears the state of the last migration: associations, contexts and cancellation.
    open func reset() {
        associations = MigrationAssociations()
        stacks = nil
        mapping = nil
        current = nil
        shared.withLock { $0 = Shared() }
    }

    // MARK: Entities and associations

    /// The source entity of a mapping, in the model of ``sourceContext``.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        entity(mEntity.sourceEntityName, stacks?.sourceBinding, models.source)
    }

    /// The destination entity of a mapping, in the model of ``destinationContext``.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        entity(mEntity.destinationEntityName, stacks?.destinationBinding, models.destination)
    }

    private func entity(
        _ name: String?, _ binding: ModelBinding?, _ model: NSManagedObjectModel
    ) -> NSEntityDescription? {
        guard let name else { return nil }
        return binding.map { $0.entity(named: name) } ?? model.entitiesByName[name]
    }

    /// Records that a mapping created an object from a source object.
    open func associate(
        sourceInstance: NSManagedObject,
        withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        associations.add(sourceInstance, destinationInstance, entityMapping.name)
    }

    /// The objects that a mapping created from source objects; nil means all source objects.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.destinations(mappingName, sourceInstances)
    }

    /// The source objects from which a mapping created objects; nil means all created objects.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.sources(mappingName, destinationInstances)
    }

    func destinationInstances(ofAny sources: [NSManagedObject]) -> [NSManagedObject] {
        associations.destinations(ofAny: sources)
    }

    // MARK: While a migration runs

    func start(_ stacks: MigrationStacks, _ mapping: NSMappingModel) {
        associations = MigrationAssociations()
        self.stacks = stacks
        self.mapping = mapping
    }

    /// Ends a migration. The manager's user info is kept.
    func finish() { reset() }

    func note(_ mapping: NSEntityMapping, progress: Float) {
        current = mapping
        shared.withLock { $0.progress = progress }
    }

    func checkCancellation() throws {
        if let error = shared.withLock({ $0.cancellation }) { throw error }
    }
}
