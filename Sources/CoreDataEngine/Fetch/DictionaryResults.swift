import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation

/// Plans a fetch of dictionaries for `FetchExecution`, and builds the dictionaries from the store's
/// answer.
struct DictionaryResults {
    let table: TablePlan
    private let context: NSManagedObjectContext
    private let entity: EntityLayout
    private let transformed: [Int: (name: String?, slot: ValueSlot, owner: EntityLayout)]
    private let composites: Set<String>

    init(
        _ options: FetchRequestOptions, entity: EntityLayout, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        self.context = context
        var columns: [TablePlan.Column] = []
        if let properties = options.propertiesToFetch, !properties.isEmpty {
            for property in properties { columns += try Self.columns(property, entity) }
        } else {
            columns = Self.attributes(of: entity)
        }
        let asked = Set((options.propertiesToFetch ?? []).compactMap(Self.name(of:)))
        composites = Set(
            columns.map(\.name).filter { !asked.contains($0) }
                .compactMap { name in name.firstIndex(of: ".").map { String(name[..<$0]) } }
                .filter { entity.elementSlots(ofComposite: $0) != nil })
        self.entity = entity
        let paths = TransformedConstants(entity, context.binding.layout)
        transformed = columns.enumerated().reduce(into: [:]) { found, column in
            guard let (slot, owner) = paths.attribute(column.element.expression),
                case .transformed(let name) = owner.values[slot].coding
            else { return }
            found[column.offset] = (name, owner.values[slot], owner)
        }
        var table = TablePlan(columns: columns)
        for property in options.propertiesToGroupBy ?? [] {
            table.groups.append(try Self.column(property, entity).expression)
        }
        table.having = options.havingPredicate?
            .mappingConstants(PredicateConstants(context).storable)
        table.isDistinct = options.returnsDistinctResults
        self.table = table
    }

    private static func attributes(of entity: EntityLayout) -> [TablePlan.Column] {
        entity.values.filter { $0.kind != .toOne && !$0.isTransient }.map {
            TablePlan.Column(
                name: $0.name, expression: NSExpression(forKeyPath: $0.name), kind: $0.kind)
        }
    }

    private static func name(of property: Any) -> String? {
        (property as? NSPropertyDescription)?.name ?? property as? String
    }

    private static func columns(
        _ property: Any, _ entity: EntityLayout
    ) throws(CoreDataError) -> [TablePlan.Column] {
        guard !(property is NSExpressionDescription),
            let slots = name(of: property).flatMap({ entity.elementSlots(ofComposite: $0) })
        else { return [try column(property, entity)] }
        return slots.map {
            let value = entity.values[$0]
            return TablePlan.Column(
                name: value.name, expression: NSExpression(forKeyPath: value.name),
                kind: value.kind)
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

    /// - Throws: 134060 for an archive that cannot be decoded.
    func dictionaries(from rows: FetchedTable) throws(CoreDataError) -> [NSDictionary] {
        if !composites.isEmpty {
            return try (0..<rows.count).map { row throws(CoreDataError) in try nested(rows, row) }
        }
        // The column names are converted once; otherwise Foundation would bridge each name for
        // every row.
        let names = table.columns.map { NSString(string: $0.name) as NSObject }
        let memory = UnsafeMutablePointer<AnyObject>.allocate(capacity: names.count)
        let keys = UnsafeMutablePointer<NSObject>.allocate(capacity: names.count)
        defer {
            memory.deallocate()
            keys.deallocate()
        }
        return try (0..<rows.count).map { row throws(CoreDataError) in
            var count = 0
            defer {
                memory.deinitialize(count: count)
                keys.deinitialize(count: count)
            }
            for (column, kind) in rows.kinds.enumerated() {
                guard let made = try foundationObject(rows[row, column], kind, at: column) else {
                    continue
                }
                (memory + count).initialize(to: made)
                (keys + count).initialize(to: names[column])
                count += 1
            }
            return NSDictionary(objects: memory, forKeys: keys, count: count)
        }
    }

    /// Converts a value to the object that a Foundation dictionary stores. A string is converted
    /// directly, because automatic bridging is slower.
    private func foundationObject(
        _ value: Value, _ kind: ValueKind, at column: Int
    ) throws(CoreDataError) -> AnyObject? {
        switch value {
        case .string(let text) where kind != .uri: NSString(string: text)
        default: try object(value, kind, at: column).map { ($0 as? NSObject) ?? ($0 as AnyObject) }
        }
    }

    /// The dictionary of a row with composite attributes. Each composite attribute is a nested
    /// dictionary of its elements.
    private func nested(
        _ rows: FetchedTable, _ row: Int
    ) throws(CoreDataError) -> NSDictionary {
        var values: [String: Any] = [:]
        for (index, column) in table.columns.enumerated() {
            values[column.name] = try object(rows[row, index], rows.kinds[index], at: index)
        }
        for path in composites {
            guard let slots = entity.elementSlots(ofComposite: path) else { continue }
            let made = CompositeValue.dictionary(entity, slots, at: path) {
                values[entity.values[$0].name]
            }
            for slot in slots { values[entity.values[slot].name] = nil }
            values[path] = made
        }
        return values as NSDictionary
    }

    private func object(
        _ value: Value, _ kind: ValueKind, at column: Int
    ) throws(CoreDataError) -> Any? {
        if case .data(let data) = value, let (name, slot, owner) = transformed[column] {
            return try TransformedValues.object(of: data, by: name, slot, of: owner)
        }
        guard case .reference(let key) = value else {
            return AttributeCoding.object(from: value, kind: kind)
        }
        if let known = context.registry.registered(key) { return known.objectID }
        let binding = context.binding
        let layout = binding.layout[Int(key.entity)]
        return NSManagedObjectID(
            key: key, entity: binding.description(at: layout.index), layout: layout,
            store: context.source.store(for: layout, key: key.key))
    }
}
