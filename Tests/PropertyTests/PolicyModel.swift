import CoreData

/// A model of items with two values and a place. The relationship to the place has no inverse. A
/// change of one item therefore never affects another one.
enum PolicyModel {
    static func make() -> NSManagedObjectModel {
        let place = PropertyModel.entity("Place")
        let item = PropertyModel.entity("Item")
        let relationship = NSRelationshipDescription()
        relationship.name = "place"
        relationship.destinationEntity = place
        relationship.maxCount = 1
        relationship.minCount = 0
        relationship.isOptional = true
        relationship.deleteRule = .nullifyDeleteRule
        item.properties += [relationship]
        let model = NSManagedObjectModel()
        model.entities = [place, item]
        return model
    }
}

struct PolicyRow: Equatable {
    /// The values of the item; nil if it does not have a number, a text or a place.
    var number: Int?
    var text: Int?
    var place: Int?
    /// The version of the row. A new row has version 1, even if the item is inserted again.
    var version = 0

    static var properties: [WritableKeyPath<PolicyRow, Int?>] { [\.number, \.text, \.place] }

    func hasValues(of other: PolicyRow) -> Bool {
        Self.properties.allSatisfy { self[keyPath: $0] == other[keyPath: $0] }
    }

    /// Moves the changes of this row to another row: a property that differs from the base keeps
    /// its value, and any other property has the value of the other row.
    func rebased(from base: PolicyRow, onto other: PolicyRow) -> PolicyRow {
        var result = other
        for path in Self.properties where self[keyPath: path] != base[keyPath: path] {
            result[keyPath: path] = self[keyPath: path]
        }
        return result
    }
}

/// A reference implementation of the merge policies, with several contexts and their store.
struct PolicyReference {
    typealias Identity = Int

    enum Policy: Int, CaseIterable {
        case error, storeTrump, objectTrump, overwrite, rollback
    }

    struct Context: Equatable {
        /// The rows as the context last read them. Rows of deleted items are kept.
        var bases: [Identity: PolicyRow] = [:]
        var rows: [Identity: PolicyRow] = [:]
        var deleted: Set<Identity> = []
        /// Items with a property that was set since the last save, even to its old value.
        var edited: Set<Identity> = []
        /// Edited items that another context has deleted, as a refresh has found. They stay deleted
        /// in this context until the next save, even if another context inserts them again.
        var lost: Set<Identity> = []
    }

    var stored: [Identity: PolicyRow] = [:]
    var contexts: [Context]

    init(contextCount: Int) { contexts = Array(repeating: Context(), count: contextCount) }

    /// Reads every item of the context again. The changes and deletions of the context are kept.
    mutating func refresh(_ number: Int) {
        var context = contexts[number]
        for (identity, base) in context.bases where !context.deleted.contains(identity) {
            guard let newest = stored[identity] else {
                context.bases[identity] = nil
                context.rows[identity] = nil
                if context.edited.contains(identity) { context.lost.insert(identity) }
                continue
            }
            context.rows[identity] = context.rows[identity]?.rebased(from: base, onto: newest)
            context.bases[identity] = newest
        }
        for (identity, newest) in stored
        where context.bases[identity] == nil && !context.lost.contains(identity) {
            context.rows[identity] = newest
            context.bases[identity] = newest
        }
        contexts[number] = context
    }

    mutating func rollback(_ number: Int) {
        contexts[number].rows = contexts[number].bases
        contexts[number].deleted = []
        contexts[number].edited = []
        contexts[number].lost = []
    }

    /// - Returns: false if the save must fail without any effect.
    mutating func save(_ number: Int, _ policy: Policy) -> Bool {
        var context = contexts[number]
        let conflicts = context.bases.keys.filter { isInConflict($0, context) }
        if policy == .error, !conflicts.isEmpty { return false }
        for identity in Set(context.bases.keys).union(context.rows.keys) {
            if context.deleted.contains(identity) {
                delete(identity, policy, &context)
            } else if let row = context.rows[identity] {
                write(row, identity, policy, &context)
            }
        }
        context.deleted = []
        context.edited = []
        context.lost = []
        contexts[number] = context
        return true
    }

    private func isInConflict(_ identity: Identity, _ context: Context) -> Bool {
        guard let base = context.bases[identity] else { return false }
        guard let newest = stored[identity] else {
            return !context.deleted.contains(identity)
                && context.rows[identity]?.hasValues(of: base) == false
        }
        guard newest.version != base.version else { return false }
        return context.deleted.contains(identity)
            || context.rows[identity]?.hasValues(of: base) == false
    }

    private mutating func delete(
        _ identity: Identity, _ policy: Policy, _ context: inout Context
    ) {
        let keepsRow = policy == .storeTrump || policy == .rollback
        if let newest = stored[identity], keepsRow, isInConflict(identity, context) {
            context.bases[identity] = newest
            context.rows[identity] = newest
            return
        }
        stored[identity] = nil
        context.bases[identity] = nil
        context.rows[identity] = nil
    }

    private mutating func write(
        _ row: PolicyRow, _ identity: Identity, _ policy: Policy, _ context: inout Context
    ) {
        let base = context.bases[identity]
        if let base, row.hasValues(of: base) { return }
        guard let base, isInConflict(identity, context) else {
            commit(row, from: base, identity, &context)
            return
        }
        guard let newest = stored[identity] else {
            if policy == .overwrite {
                commit(row, from: nil, identity, &context)
            } else {
                context.bases[identity] = nil
                context.rows[identity] = nil
            }
            return
        }
        commit(Self.resolve(row, base, newest, policy), from: newest, identity, &context)
    }

    private static func resolve(
        _ row: PolicyRow, _ base: PolicyRow, _ newest: PolicyRow, _ policy: Policy
    ) -> PolicyRow {
        switch policy {
        case .error, .rollback: newest
        case .overwrite: row
        case .objectTrump: row.rebased(from: base, onto: newest)
        case .storeTrump: newest.rebased(from: base, onto: row)
        }
    }

    /// Writes the values that differ from the base, or all values of a new row. An item that was
    /// inserted again may find a row with the version that it had before the deletion. That row is
    /// then the base.
    private mutating func commit(
        _ row: PolicyRow, from base: PolicyRow?, _ identity: Identity, _ context: inout Context
    ) {
        var written = row
        let newest = stored[identity]
        written.version = newest?.version ?? 0
        if base?.hasValues(of: row) != true { written.version += 1 }
        stored[identity] = written
        if let base, let newest {
            stored[identity] = row.rebased(from: base, onto: newest)
            stored[identity]?.version = written.version
        }
        context.bases[identity] = written
        context.rows[identity] = written
    }
}
