import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// What a fetch of dictionaries asks a store for, and dictionaries from what it answers.
///
/// Made by `FetchExecution` for one fetch.
struct DictionaryResults {
    let table: TablePlan
    private let context: NSManagedObjectContext

    init(
        _ options: FetchRequestOptions, entity: EntityLayout, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        self.context = context
        var columns: [TablePlan.Column] = []
        if let properties = options.propertiesToFetch, !properties.isEmpty {
            for property in properties { columns.append(try Self.column(property, entity)) }
        } else {
            columns = Self.attributes(of: entity)
        }
        var table = TablePlan(columns: columns)
        for property in options.propertiesToGroupBy ?? [] {
            table.groups.append(try Self.column(property, entity).expression)
        }
        table.having = options.havingPredicate
        table.isDistinct = options.returnsDistinctResults
        self.table = table
    }

    /// Every attribute that is stored.
    private static func attributes(of entity: EntityLayout) -> [TablePlan.Column] {
        entity.values.filter { $0.kind != .toOne && !$0.isTransient }.map {
            TablePlan.Column(
                name: $0.name, expression: NSExpression(forKeyPath: $0.name), kind: $0.kind)
        }
    }

    private static func column(
        _ property: Any, _ entity: EntityLayout
    ) throws(CoreDataError) -> TablePlan.Column {
        switch property {
        case let name as String: return try column(named: name, entity)
        case let computed as NSExpressionDescription:
            guard let expression = computed.expression else {
                throw CoreDataError(
                    .invalidArgument,
                    "The expression description '\(computed.name)' has no expression; set one.")
            }
            return TablePlan.Column(
                name: computed.name, expression: expression,
                kind: kind(of: computed.expressionResultType))
        case let property as NSPropertyDescription:
            return try column(named: property.name, entity)
        default:
            throw CoreDataError(
                .invalidArgument,
                "propertiesToFetch and propertiesToGroupBy hold names and property descriptions,"
                    + " not a \(type(of: property)).")
        }
    }

    private static func column(
        named name: String, _ entity: EntityLayout
    ) throws(CoreDataError) -> TablePlan.Column {
        if entity.toManySlot(named: name) != nil {
            throw CoreDataError(
                .invalidArgument,
                "Invalid to-many relationship in setPropertiesToFetch: (\(name)); count its"
                    + " members with an NSExpressionDescription.")
        }
        return TablePlan.Column(
            name: name, expression: NSExpression(forKeyPath: name), kind: nil)
    }

    private static func kind(of type: NSAttributeType) -> ValueKind? {
        type == .objectIDAttributeType ? .toOne : type.valueKind
    }

    // MARK: Answers

    func dictionaries(from rows: FetchedTable) -> [NSDictionary] {
        // Keys are bridged once: a dictionary of Swift's would be bridged entry by entry.
        let names: [NSObject] = table.columns.map { NSString(string: $0.name) }
        return (0..<rows.count).map { row in
            var keys = names
            var objects: [Any] = []
            objects.reserveCapacity(names.count)
            for (index, kind) in rows.kinds.enumerated() {
                guard let object = object(rows[row, index], kind) else {
                    keys.remove(at: objects.count)
                    continue
                }
                objects.append(object)
            }
            return NSDictionary(objects: objects, forKeys: keys)
        }
    }

    private func object(_ value: Value, _ kind: ValueKind) -> Any? {
        guard case .reference(let key) = value else {
            return AttributeCoding.object(from: value, kind: kind)
        }
        if let known = context.registry.registered(key) { return known.objectID }
        let binding = context.binding
        let layout = binding.layout[Int(key.entity)]
        return NSManagedObjectID(
            key: key, entity: binding.description(at: layout.index), layout: layout,
            store: context.source.store(for: layout))
    }
}
