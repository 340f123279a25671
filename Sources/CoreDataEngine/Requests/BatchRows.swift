import CoreDataModel
import CoreDataStore
import Foundation

/// Collects the rows of a batch insert from dictionaries and objects.
///
/// Missing attributes get the model's defaults. A missing value of a required attribute without a
/// default is an error. Other rules of the model are not checked.
struct BatchRows {
    private(set) var batch: BatchPlan.Insert
    private let entity: EntityLayout
    private let blank: ContiguousArray<Value>
    private let required: [Int]

    init(
        _ description: NSEntityDescription, _ duplicates: BatchPlan.Duplicates,
        in binding: ModelBinding
    ) throws(CoreDataError) {
        entity = description.layout
        if entity.isAbstract {
            throw CoreDataError(
                .invalidArgument,
                "The entity '\(entity.name)' is abstract, so it has no rows. Insert into"
                    + " one of its subentities.")
        }
        batch = BatchPlan.Insert(entity: entity, duplicates: duplicates)
        var blank = ContiguousArray(repeating: Value.null, count: entity.values.count)
        for (slot, value) in binding.defaults(at: entity.index)
        where !entity.values[slot].isTransient { blank[slot] = value }
        self.blank = blank
        let values = entity.values
        required = values.indices.filter {
            let value = values[$0]
            return !value.isOptional && value.kind != .toOne && value.column != nil
        }
    }

    mutating func add(_ dictionary: [String: Any]) throws(CoreDataError) {
        var row = blank
        var named: [Int] = []
        for (name, object) in try BatchExecution.slotted(dictionary, of: entity) {
            let slot = try BatchExecution.slot(named: name, of: entity)
            row[slot] = try BatchExecution.value(object, for: entity.values[slot], of: entity)
            named.append(slot)
        }
        try append(row, named: named.sorted())
    }

    mutating func add(_ object: NSManagedObject) throws(CoreDataError) {
        var row = blank
        var named: [Int] = []
        for slot in entity.values.indices where !entity.values[slot].isTransient {
            let value = object.currentValue(at: slot)
            guard value != blank[slot] else { continue }
            if case .reference = value {
                throw CoreDataError(
                    .invalidArgument,
                    "A batch insert cannot set the relationship '\(entity.values[slot].name)' of"
                        + " '\(entity.name)'. Set the relationship on objects and save them.")
            }
            row[slot] = value
            named.append(slot)
        }
        try append(row, named: named)
    }

    private mutating func append(
        _ row: ContiguousArray<Value>, named: [Int]
    ) throws(CoreDataError) {
        for slot in required where row[slot].isNull {
            throw ValidationBreach(.missingMandatoryProperty, entity.values[slot].name)
                .error(on: nil)
        }
        assert(row.count == entity.values.count, "the row does not have the slots of its entity")
        batch.values.append(contentsOf: row)
        batch.named.append(named)
    }
}
