import CoreDataModel

/// The layout of a model with the names of tables and columns that a file contains.
///
/// In stores of Core Data, no rule determines which end of a many-to-many relationship names the
/// join table. Nor does a rule determine which of two columns has the suffix 1. A store that was
/// migrated in place keeps the old numbers of its entities (store-format.md). So names that do not
/// follow this module's rules are looked up in the file when it is opened. A name that is not found
/// stays unchanged, and ``SchemaCheck`` reports it as missing.
struct StoredNames {
    private let layout: ModelLayout
    private let found: SchemaCheck.Found
    private let entityIndexes: Set<Int>?

    /// - Returns: nil if every name follows the rules.
    static func layout(
        _ layout: ModelLayout, in found: SchemaCheck.Found, entityIndexes: Set<Int>? = nil
    ) -> ModelLayout? {
        let names = StoredNames(layout: layout, found: found, entityIndexes: entityIndexes)
        let adapted = layout.entities.map(names.adapted)
        guard adapted.contains(where: { $0 != nil }) else { return nil }
        return ModelLayout(
            entities: zip(layout.entities, adapted).map { $1 ?? $0 })
    }

    private func adapted(_ entity: EntityLayout) -> EntityLayout? {
        let isKept = entityIndexes?.contains(entity.index) ?? true
        let values = entity.values.map { slot in
            isKept ? value(slot, of: entity) : absent(slot, of: entity)
        }
        let toMany = entity.toMany.indices.map { self.toMany($0, of: entity) }
        guard values.contains(where: { $0 != nil }) || toMany.contains(where: { $0 != nil })
        else { return nil }
        return entity.replacing(
            values: zip(entity.values, values).map { $1 ?? $0 },
            toMany: zip(entity.toMany, toMany).map { $1 ?? $0 })
    }

    private func has(_ table: String, _ columns: [String?]) -> Bool {
        guard let existing = found.columns[table] else { return false }
        return columns.allSatisfy { $0.map(existing.contains) ?? true }
    }

    /// The slot without its column if the table lacks it, because the configuration does not
    /// contain the subentity. Otherwise nil.
    private func absent(_ slot: ValueSlot, of entity: EntityLayout) -> ValueSlot? {
        guard let column = slot.column, !has(entity.tableName, [column, slot.toOne?.entityColumn])
        else { return nil }
        return slot.withoutColumn
    }

    // MARK: Foreign keys

    /// The slot with the name that its entity column has in the file. Nil if the column has the
    /// expected name or is not found. An entity column contains the entity number of the
    /// destination.
    private func value(_ slot: ValueSlot, of entity: EntityLayout) -> ValueSlot? {
        guard let column = slot.toOne?.entityColumn, !has(entity.tableName, [column]),
            let stored = sole(entity.tableName, NumberedName("Z", "_\(column.afterNumber)"))
        else { return nil }
        return slot.withEntityColumn(stored)
    }

    private func toMany(_ index: Int, of entity: EntityLayout) -> ToManySlot? {
        let slot = entity.toMany[index]
        let storage: ToManyStorage?
        switch slot.storage {
        case .none: return nil
        case .foreignKey(let column, let entityColumn, let order):
            let table = layout[slot.destinationIndex].tableName
            if has(table, [column, entityColumn, order]) { return nil }
            storage = foreignKey(table, column, entityColumn, order)
        case .joinTable(let table, let owner, let member, let order, let inverseOrder):
            if has(table, [owner, member, order, inverseOrder]) { return nil }
            storage = joinTable(index, of: entity)
        }
        return storage.map(slot.withStorage)
    }

    private func foreignKey(
        _ table: String, _ column: String, _ entityColumn: String?, _ order: String?
    ) -> ToManyStorage? {
        func stored(_ name: String, _ pattern: NumberedName) -> String? {
            has(table, [name]) ? name : sole(table, pattern)
        }
        // A relationship without an inverse, such as `Z1CALLEVENTS`.
        guard let key = stored(column, NumberedName("Z", column.afterNumber)) else { return nil }
        return .foreignKey(
            column: key,
            entityColumn: entityColumn.flatMap {
                stored($0, NumberedName("Z", "_\($0.afterNumber)"))
            },
            orderColumn: order.flatMap {
                stored($0, NumberedName("Z_FOK_", String($0.dropFirst(6)).afterNumber))
            })
    }

    /// The only matching column of a table; nil if no column or several columns match.
    private func sole(_ table: String, _ pattern: NumberedName) -> String? {
        let fitting = (found.columns[table] ?? []).filter { pattern.number(in: $0) != nil }
        return fitting.count == 1 ? fitting.first : nil
    }

    // MARK: Tables of pairs

    private func joinTable(_ index: Int, of entity: EntityLayout) -> ToManyStorage? {
        let slot = entity.toMany[index]
        guard case .toMany(let inverseIndex) = slot.inverse else { return nil }
        let inverse = layout[slot.destinationIndex].toMany[inverseIndex]
        let (own, other) = (slot.name.uppercased(), inverse.name.uppercased())
        var candidates = found.columns.keys.compactMap { table -> JoinColumns? in
            let number =
                NumberedName("Z_", own).number(in: table)
                ?? NumberedName("Z_", other).number(in: table)
            return number.flatMap { JoinColumns(table, $0, found.columns[table] ?? [], own, other) }
        }
        if candidates.count > 1 {
            let numbers = [
                number(of: declaring(index, of: entity)),
                number(of: declaring(inverseIndex, of: layout[slot.destinationIndex])),
            ]
            candidates.removeAll { !numbers.contains($0.number) }
        }
        guard candidates.count == 1, let pair = candidates.first else { return nil }
        return .joinTable(
            table: pair.table, ownerColumn: pair.owner, destinationColumn: pair.member,
            orderColumn: slot.isOrdered ? pair.order(of: pair.member) : nil,
            inverseOrderColumn: inverse.isOrdered ? pair.order(of: pair.owner) : nil)
    }

    /// The entity that declares a to-many relationship which the given entity inherits.
    private func declaring(_ slot: Int, of entity: EntityLayout) -> EntityLayout {
        var entity = entity
        while let parent = entity.superIndex.map({ layout[$0] }), slot < parent.toMany.count {
            entity = parent
        }
        return entity
    }

    private func number(of entity: EntityLayout) -> Int64 {
        found.numbers[entity.name] ?? Int64(entity.index + 1)
    }
}

/// A name such as `Z_16USERS1`: it contains a number that the model does not determine, and may end
/// with another number.
private struct NumberedName {
    private let head: String
    private let tail: String

    init(_ head: String, _ tail: String) {
        self.head = head
        self.tail = tail
    }

    /// The number in the name; nil if the name does not have this form.
    func number(in name: String) -> Int64? {
        guard name.hasPrefix(head) else { return nil }
        let rest = name.dropFirst(head.count)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let end = rest.dropFirst(digits.count)
        guard let number = Int64(digits), end.hasPrefix(tail),
            end.dropFirst(tail.count).allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        return number
    }
}

/// The columns of a join table, described from one end of the relationship.
private struct JoinColumns {
    let table: String
    let number: Int64
    let owner: String
    let member: String
    private let orders: [String]

    /// Finds the columns; nil if the table does not belong to this relationship.
    ///
    /// - Parameters:
    ///   - own: the relationship's name in upper case, which the name of the members' column
    ///     contains.
    ///   - other: the inverse's name in upper case, which the name of the owners' column contains.
    init?(_ table: String, _ number: Int64, _ columns: Set<String>, _ own: String, _ other: String)
    {
        let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }.sorted()
        guard keys.count == 2 else { return nil }
        let isMember = { NumberedName("Z_", own).number(in: $0) != nil }
        let isOwner = { NumberedName("Z_", other).number(in: $0) != nil || $0 == "REFLEXIVE" }
        if isOwner(keys[0]), isMember(keys[1]) {
            (owner, member) = (keys[0], keys[1])
        } else if isOwner(keys[1]), isMember(keys[0]) {
            (owner, member) = (keys[1], keys[0])
        } else if isMember(keys[0]), isMember(keys[1]) {
            // Both columns have the name of this end, and the one with a suffix belongs to the
            // other end.
            (owner, member) = (keys[1], keys[0])
        } else if isOwner(keys[0]), isOwner(keys[1]) {
            (owner, member) = (keys[0], keys[1])
        } else {
            return nil
        }
        self.table = table
        self.number = number
        orders = columns.filter { $0.hasPrefix("Z_FOK_") }.sorted()
    }

    /// The column with the order numbers of the members whose keys the given column contains.
    func order(of column: String) -> String? {
        let name = "Z_FOK_\(column.dropFirst(2))"
        if orders.contains(name) || orders.count != 1 { return name }
        return orders[0]
    }
}

extension String {
    /// The part of the string after `Z`, a number, and an optional `_`.
    fileprivate var afterNumber: String {
        var rest = self[...]
        if rest.first == "Z" { rest = rest.dropFirst() }
        rest = rest.drop { $0.isASCII && $0.isNumber }
        if rest.first == "_" { rest = rest.dropFirst() }
        return String(rest)
    }
}
