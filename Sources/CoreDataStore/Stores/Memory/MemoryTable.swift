import CoreDataModel
import CoreDataPredicate

/// Computes the result of a fetch of dictionaries over rows in memory, as SQLite computes it with a
/// SELECT.
///
/// A fetch without groups may request a plain column and an aggregate. The aggregate then covers
/// all rows, and each row repeats its value.
struct MemoryTable {
    private let table: TablePlan
    private let paths: MemoryPaths
    private let columns: [Column]

    private struct Column {
        let name: String
        let expression: NSExpression
        /// The kind to which the value is converted; nil leaves the computed value unchanged.
        let kind: ValueKind?
        /// The aggregate function and its argument; nil if the column is not an aggregate.
        let aggregate: (name: String, argument: NSExpression)?
    }

    init(
        _ table: TablePlan, entity: EntityLayout, layout: ModelLayout
    ) throws(CoreDataError) {
        let paths = MemoryPaths(entity: entity, layout: layout)
        self.table = table
        self.paths = paths
        columns = table.columns.map { column in
            let aggregate = column.aggregate
                .flatMap { aggregate -> (name: String, argument: NSExpression)? in
                    let isOfMembers = paths.leadsToMany(aggregate.argument)
                    return isOfMembers && table.groups.isEmpty ? nil : aggregate
                }
            return Column(
                name: column.name, expression: column.expression,
                kind: column.kind ?? Self.kind(of: column.expression, aggregate, paths),
                aggregate: aggregate)
        }
        try check()
    }

    /// The kind that SQLite would use for the values of the expression.
    private static func kind(
        of expression: NSExpression, _ aggregate: (name: String, argument: NSExpression)?,
        _ paths: MemoryPaths
    ) -> ValueKind? {
        switch aggregate?.name {
        case "count:": .integer64
        case "sum:", "average:": .double
        case "min:", "max:": aggregate.flatMap { paths.kind(of: $0.argument) }
        default: paths.kind(of: expression)
        }
    }

    private func check() throws(CoreDataError) {
        if table.having != nil, table.groups.isEmpty {
            throw CoreDataError(
                .invalidArgument,
                "havingPredicate of a fetch request needs propertiesToGroupBy; set predicate to"
                    + " filter rows.")
        }
        if table.groups.isEmpty { return }
        for column in columns where column.aggregate == nil {
            if table.groups.contains(where: { $0.isEqual(column.expression) }) { continue }
            guard case .keyPath = column.expression.node else { continue }
            throw CoreDataError(
                .invalidArgument,
                "SELECT clauses in queries with GROUP BY components can only contain properties"
                    + " named in the GROUP BY or aggregate functions; '\(column.name)' is neither."
                    + " Add it to propertiesToGroupBy.")
        }
    }

    // MARK: Rows

    /// Computes the table for these rows, which are in the requested order.
    func rows(
        of views: [MemoryRowView], offset: Int, limit: Int
    ) throws(PredicateEvaluationError) -> FetchedTable {
        var made: [[Operand]] = []
        if !table.groups.isEmpty {
            for group in try groups(of: views) {
                let row = try row(of: group[0], among: group)
                if try isWanted(row, group) { made.append(row) }
            }
        } else if columns.allSatisfy({ $0.aggregate != nil }) {
            made = [try row(of: nil, among: views)]
        } else {
            for view in views { made.append(try row(of: view, among: views)) }
        }
        if table.isDistinct { made = distinct(made) }
        let rest = made.dropFirst(offset)
        return fetched(limit > 0 ? Array(rest.prefix(limit)) : Array(rest))
    }

    /// The rows of each group, in the order in which the groups are found. Rows with the same
    /// values in the grouped columns form a group.
    private func groups(
        of views: [MemoryRowView]
    ) throws(PredicateEvaluationError) -> [[MemoryRowView]] {
        var places: [[OperandKey]: Int] = [:]
        var groups: [[MemoryRowView]] = []
        for view in views {
            var key: [OperandKey] = []
            for group in table.groups { key.append(OperandKey(try value(of: group, view))) }
            if let place = places[key] {
                groups[place].append(view)
            } else {
                places[key] = groups.count
                groups.append([view])
            }
        }
        return groups
    }

    private func row(
        of view: MemoryRowView?, among views: [MemoryRowView]
    ) throws(PredicateEvaluationError) -> [Operand] {
        var row: [Operand] = []
        for column in columns {
            if let aggregate = column.aggregate {
                row.append(try self.value(of: aggregate, column.expression, views))
            } else {
                row.append(try value(of: column.expression, view))
            }
        }
        return row
    }

    private func value(
        of expression: NSExpression, _ view: MemoryRowView?
    ) throws(PredicateEvaluationError) -> Operand {
        Operand(try expression.valueCore(with: view))
    }

    /// Applies an aggregate function to the values of rows. Null values are ignored.
    private func value(
        of aggregate: (name: String, argument: NSExpression), _ whole: NSExpression,
        _ views: [MemoryRowView]
    ) throws(PredicateEvaluationError) -> Operand {
        let isOfMembers = paths.leadsToMany(aggregate.argument)
        var values: [Any] = []
        for view in views {
            // `count:(items)` is computed for each row, and the results are then combined.
            let found = try value(of: isOfMembers ? whole : aggregate.argument, view)
            if !found.isNull { values.append(found.any ?? NSNull()) }
        }
        if aggregate.name == "count:", !isOfMembers { return .integer(Int64(values.count)) }
        let name = aggregate.name == "count:" ? "sum:" : aggregate.name
        let list = NSExpression(forConstantValue: values)
        guard let call = NSExpression(call: name, [list]) else { return .null }
        let result = try value(of: call, nil)
        // SQLite's total() and avg() never return integers.
        guard aggregate.name == "sum:" || aggregate.name == "average:" else { return result }
        return result.double.map { .double($0) } ?? result
    }

    /// Whether a group satisfies the HAVING predicate. In it, key paths read the group's first row,
    /// and variables and expression descriptions refer to columns. Aggregates cover the group.
    private func isWanted(
        _ row: [Operand], _ group: [MemoryRowView]
    ) throws(PredicateEvaluationError) -> Bool {
        guard let having = table.having else { return true }
        var named: [String: Any] = [:]
        for (column, value) in zip(columns, row) { named[column.name] = value.any ?? NSNull() }
        var failure: PredicateEvaluationError?
        let computed = having.replacingCalls { call in
            guard let aggregate = TablePlan.Column.aggregate(of: call) else { return nil }
            do throws(PredicateEvaluationError) {
                let value = try value(of: aggregate, call, group)
                return NSExpression(forConstantValue: value.any)
            } catch {
                failure = failure ?? error
                return nil
            }
        }.mappingConstants { constant in
            guard let name = (constant as? NSExpressionDescription)?.name else {
                return group[0].comparable(constant)
            }
            return named[name] ?? constant
        }
        if let failure { throw failure }
        return try computed.evaluateCore(with: group[0], variables: named)
    }

    private func distinct(_ rows: [[Operand]]) -> [[Operand]] {
        var seen: Set<[OperandKey]> = []
        return rows.filter { seen.insert($0.map(OperandKey.init)).inserted }
    }

    // MARK: Values

    private func fetched(_ rows: [[Operand]]) -> FetchedTable {
        let kinds = columns.enumerated().map { index, column in
            column.kind ?? rows.lazy.compactMap { $0[index].kindOfValue }.first ?? .double
        }
        var made = FetchedTable(kinds: kinds)
        for row in rows {
            for (index, value) in row.enumerated() {
                made.values.append(value.stored(as: kinds[index]))
            }
        }
        return made
    }
}

/// One value of a row as a hashable key. The keys of two rows of a group are equal.
private struct OperandKey: Hashable {
    private let value: AnyHashable?

    init(_ operand: Operand) {
        switch operand {
        case .integer(let number): value = Double(number)
        case .date(let seconds): value = seconds
        default: value = operand.any as? AnyHashable
        }
    }
}

extension Operand {
    /// The kind of a computed value for which the fetch declares no kind.
    fileprivate var kindOfValue: ValueKind? {
        switch self {
        case .null, .collection: nil
        case .integer: .integer64
        case .double: .double
        case .decimal: .decimal
        case .string: .string
        case .date: .date
        case .data: .binary
        case .uuid: .uuid
        case .url: .uri
        case .object(let object): object is MemoryRowView ? .toOne : nil
        }
    }

    /// Converts a value for the table. Returns null if the value cannot have the kind.
    fileprivate func stored(as kind: ValueKind) -> Value {
        switch (kind, self) {
        case (_, .null): .null
        case (.toOne, .object(let object)):
            (object as? MemoryRowView).map { .reference($0.key) } ?? .null
        case (.string, .string(let text)): .string(text)
        case (.uri, .url(let url)): .string(url.absoluteString)
        case (.uuid, .uuid(let uuid)): .uuid(uuid)
        case (.binary, .data(let data)): .data(data)
        case (.decimal, .decimal(let number)): .decimal(number)
        case (.date, .date(let seconds)): .double(seconds)
        default: number(as: kind)
        }
    }

    private func number(as kind: ValueKind) -> Value {
        guard let number = double else { return .null }
        switch kind {
        case .integer16, .integer32, .integer64:
            if case .integer(let whole) = self { return .integer(whole) }
            return Int64(exactly: number.rounded(.towardZero)).map { .integer($0) } ?? .null
        case .boolean: return .integer(number == 0 ? 0 : 1)
        case .double, .float, .date: return .double(number)
        case .decimal: return Decimal(string: "\(number)").map { .decimal($0) } ?? .null
        case .string: return .string("\(any ?? "")")
        case .uri, .uuid, .binary, .toOne: return .null
        }
    }
}

/// Resolves the key paths of an entity to attributes and relationships.
struct MemoryPaths {
    let entity: EntityLayout
    let layout: ModelLayout

    func leadsToMany(_ expression: NSExpression) -> Bool {
        guard case .keyPath(let keys) = expression.node else { return false }
        var entity = entity
        for key in keys {
            if entity.toManySlot(named: key) != nil { return true }
            guard let next = entity.destinationIndex(of: key) else { return false }
            entity = layout[next]
        }
        return false
    }

    /// The kind of the attribute or relationship at the end of a path; nil for anything else.
    func kind(of expression: NSExpression) -> ValueKind? {
        guard case .keyPath(let keys) = expression.node else {
            if case .evaluatedObject = expression.node { return .toOne }
            return nil
        }
        var entity = entity
        var kind: ValueKind?
        for key in keys {
            if key == "objectID" || key == "self" { return .toOne }
            guard let slot = entity.valueSlot(named: key) else { return nil }
            kind = entity.values[slot].kind
            if let toOne = entity.values[slot].toOne { entity = layout[toOne.destinationIndex] }
        }
        return kind
    }
}
