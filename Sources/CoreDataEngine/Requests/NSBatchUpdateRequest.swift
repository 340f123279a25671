import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Sets attributes of all matching rows without creating objects for them, in SQLite stores only.
///
/// Executes one UPDATE statement, which increments the version of each row. So if an object was
/// read before, its next save reports a conflict. Values are not validated.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    private final var description_: NSEntityDescription?
    private final var name: String?

    /// Creates a request for the rows of an entity, which is looked up when the request is
    /// executed.
    public init(entityName: String) {
        name = entityName
        description_ = nil
    }

    /// Creates a request for the rows of an entity.
    public init(entity: NSEntityDescription) {
        name = nil
        description_ = entity
    }

    private convenience init(copying other: NSBatchUpdateRequest) {
        self.init(entityName: other.entityName)
        name = other.name
        description_ = other.description_
        includesSubentities = other.includesSubentities
        predicate = other.predicate
        propertiesToUpdate = other.propertiesToUpdate
        resultType = other.resultType
    }

    /// The name of the entity.
    open var entityName: String { name ?? description_?.name ?? "" }

    /// The entity; traps for a request that was created with a name.
    open var entity: NSEntityDescription {
        guard let description_ else {
            trap(
                CoreDataError(
                    .inaccessibleObject,
                    "NSBatchUpdateRequest was created with a string name (\(entityName)), and"
                        + " cannot respond to -entity until used by an NSManagedObjectContext"))
        }
        return description_
    }

    /// Whether rows of subentities are updated too.
    open var includesSubentities = true

    /// The rows to update; nil for all.
    open var predicate: NSPredicate?

    /// The new values by attribute name or description: constants, or expressions over the row's
    /// own attributes.
    open var propertiesToUpdate: [AnyHashable: Any]?

    /// The type of the result.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchUpdateRequest(copying: self)
        copy.affectedStores = affectedStores
        return copy
    }
}

extension NSBatchUpdateRequest: ContextRequest {
    func run(in context: NSManagedObjectContext) throws(CoreDataError) -> NSPersistentStoreResult {
        let execution = BatchExecution(context: context, request: self)
        let entity = try execution.entity(description_, named: name).layout
        let plan = FetchPlan(
            entity: entity, includesSubentities: includesSubentities,
            predicate: predicate?.mappingConstants(PredicateConstants(context).storable))
        let update = BatchPlan.Update(plan: plan, assignments: try assignments(entity))
        let answer: BatchExecution.Answer =
            switch resultType {
            case .statusOnlyResultType: .status
            case .updatedObjectIDsResultType: .ids
            case .updatedObjectsCountResultType: .count
            }
        return NSBatchUpdateResult(
            result: try execution.run(.update(update), answer), resultType: resultType)
    }

    private func assignments(
        _ entity: EntityLayout
    ) throws(CoreDataError) -> [(slot: Int, value: BatchPlan.Assigned)] {
        guard let properties = propertiesToUpdate, !properties.isEmpty else {
            throw CoreDataError(
                .invalidArgument,
                "propertiesToUpdate of a batch update is empty; name the attributes to set.")
        }
        var found: [(slot: Int, value: BatchPlan.Assigned)] = []
        for (key, object) in properties {
            guard let name = (key.base as? NSPropertyDescription)?.name ?? key.base as? String
            else {
                throw CoreDataError(
                    .invalidArgument,
                    "A key of propertiesToUpdate is a \(type(of: key.base)); use attribute names"
                        + " or descriptions.")
            }
            for (name, object) in try BatchExecution.slotted([name: object], of: entity) {
                let slot = try BatchExecution.slot(named: name, of: entity)
                found.append((slot, try assigned(object, entity.values[slot], entity)))
            }
        }
        return found.sorted { $0.slot < $1.slot }
    }

    private func assigned(
        _ object: Any, _ slot: ValueSlot, _ entity: EntityLayout
    ) throws(CoreDataError) -> BatchPlan.Assigned {
        guard let expression = object as? NSExpression else {
            return .value(try BatchExecution.value(object, for: slot, of: entity))
        }
        if case .constant(let value) = expression.node {
            return .value(try BatchExecution.value(value, for: slot, of: entity))
        }
        // Throws an error for a property that cannot be set.
        _ = try BatchExecution.value(nil, for: slot, of: entity)
        return .expression(expression)
    }
}

/// The result of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    private final var value: Any?
    private final var type = NSBatchUpdateRequestResultType.statusOnlyResultType

    /// Creates an empty result, for subclasses that are used in tests.
    public override init() { super.init() }

    convenience init(result: Any, resultType: NSBatchUpdateRequestResultType) {
        self.init()
        value = result
        type = resultType
    }

    /// A Bool, an Int or an array of ids, depending on the type.
    open var result: Any? { value }

    /// The result type that was set in the request.
    open var resultType: NSBatchUpdateRequestResultType { type }
}
