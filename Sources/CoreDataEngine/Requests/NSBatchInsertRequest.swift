import CoreDataModel
import CoreDataStore
import Foundation

/// Inserts rows without creating objects for them, in SQLite stores only.
///
/// Missing attributes get the model's defaults. Relationships cannot be set.
///
/// If a row with the same unique values exists, the context's merge policy decides. Under
/// `mergeByPropertyObjectTrump` and `overwrite`, the stored row takes the given values. Under the
/// other policies it is unchanged.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    private final var description_: NSEntityDescription?
    private final var name: String?

    /// Creates a request without an entity, which cannot be executed.
    @available(*, deprecated, message: "use an initializer with an entity")
    public override init() { super.init() }

    /// Inserts a row for each dictionary of attribute names and values.
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        name = entityName
        super.init()
        objectsToInsert = dictionaries
    }

    /// Inserts a row for each dictionary of attribute names and values.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        description_ = entity
        super.init()
        objectsToInsert = dictionaries
    }

    /// Inserts a row for each dictionary that the handler fills. The handler returns true to end
    /// the insertion, and the dictionary of that last call is not inserted.
    public init(
        entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        name = entityName
        super.init()
        dictionaryHandler = handler
    }

    /// Inserts a row for each dictionary that the handler fills, until it returns true.
    public init(
        entity: NSEntityDescription,
        dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        description_ = entity
        super.init()
        dictionaryHandler = handler
    }

    /// Inserts a row for each object that the handler fills, until it returns true.
    public init(
        entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        name = entityName
        super.init()
        managedObjectHandler = handler
    }

    /// Inserts a row for each object that the handler fills, until it returns true.
    public init(
        entity: NSEntityDescription,
        managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        description_ = entity
        super.init()
        managedObjectHandler = handler
    }

    /// The name of the entity.
    open var entityName: String { name ?? description_?.name ?? "" }

    /// The entity, if the request was created with one.
    open var entity: NSEntityDescription? { description_ }

    /// The rows, as attribute names and values.
    open var objectsToInsert: [[String: Any]]?

    /// Fills the dictionary for the next row. Returns true to end the insertion.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?

    /// Fills the object for the next row. Returns true to end the insertion. The objects have no
    /// context.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?

    /// The type of the result.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchInsertRequest(entityName: entityName, objects: [])
        copy.description_ = description_
        copy.name = name
        copy.affectedStores = affectedStores
        copy.objectsToInsert = objectsToInsert
        copy.dictionaryHandler = dictionaryHandler
        copy.managedObjectHandler = managedObjectHandler
        copy.resultType = resultType
        return copy
    }
}

extension NSBatchInsertRequest: ContextRequest {
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult {
        let execution = BatchExecution(context: context, request: self)
        let entity = try execution.entity(description_, named: name)
        var rows = try BatchRows(
            entity, Self.duplicates(under: context.currentPolicy), in: context.binding)
        try gather(into: &rows, entity)
        let answer: BatchExecution.Answer =
            switch resultType {
            case .statusOnly: .status
            case .objectIDs: .ids
            case .count: .count
            }
        return NSBatchInsertResult(
            result: try execution.run(.insert(rows.batch), answer), resultType: resultType)
    }

    private func gather(
        into rows: inout BatchRows, _ entity: NSEntityDescription
    ) throws(CoreDataError) {
        for dictionary in objectsToInsert ?? [] { try rows.add(dictionary) }
        if let dictionaryHandler {
            while true {
                let dictionary = NSMutableDictionary()
                if dictionaryHandler(dictionary) { break }
                try rows.add(dictionary as? [String: Any] ?? [:])
            }
        }
        if let managedObjectHandler {
            while true {
                let object = NSManagedObject(entity: entity, insertInto: nil)
                if managedObjectHandler(object) { break }
                try rows.add(object)
            }
        }
    }

    private static func duplicates(under policy: NSMergePolicy) -> BatchPlan.Duplicates {
        switch policy.mergeType {
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: .updateStored
        default: .keepStored
        }
    }
}

/// The result of a batch insert.
open class NSBatchInsertResult: NSPersistentStoreResult {
    private final var value: Any?
    private final var type = NSBatchInsertRequestResultType.statusOnly

    /// Creates an empty result, for subclasses that are used in tests.
    public override init() { super.init() }

    convenience init(result: Any, resultType: NSBatchInsertRequestResultType) {
        self.init()
        value = result
        type = resultType
    }

    /// A Bool, an Int or an array of ids, depending on the type.
    open var result: Any? { value }

    /// The result type that was set in the request.
    open var resultType: NSBatchInsertRequestResultType { type }
}
