import CoreData

/// Items with two values and a place, which does not know them: nothing that one item is changed by
/// reaches another.
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

/// What one item is, for the reference.
struct PolicyRow: Equatable {
    /// Nil stands for no number, text or place.
    var number: Int?
    var text: Int?
    var place: Int?
    /// Unlike for each write of a row.
    var version = 0

    static var properties: [WritableKeyPath<PolicyRow, Int?>] { [\.number, \.text, \.place] }

    func hasValues(of other: PolicyRow) -> Bool {
        Self.properties.allSatisfy { self[keyPath: $0] == other[keyPath: $0] }
    }

    /// Property by property: its own value where it differs from the base, else the other's.
    func rebased(from base: PolicyRow, onto other: PolicyRow) -> PolicyRow {
        var result = other
        for path in Self.properties where self[keyPath: path] != base[keyPath: path] {
            result[keyPath: path] = self[keyPath: path]
        }
        return result
    }
}

/// What several contexts and their store hold, and what a policy makes of a conflict: the tables of
/// Core Data's merge policies, said in the simplest way.
struct PolicyReference {
    typealias Identity = Int

    enum Policy: Int, CaseIterable {
        case error, storeTrump, objectTrump, overwrite, rollback
    }

    struct Context: Equatable {
        /// Rows as they were last read, also of deleted items.
        var bases: [Identity: PolicyRow] = [:]
        /// What the items are now.
        var rows: [Identity: PolicyRow] = [:]
        var deleted: Set<Identity> = []
    }

    var stored: [Identity: PolicyRow] = [:]
    var contexts: [Context]
    private var version = 0

    init(contextCount: Int) { contexts = Array(repeating: Context(), count: contextCount) }

    /// A context reads everything anew and keeps its changes; a deletion stays as it is.
    mutating func refresh(_ number: Int) {
        var context = contexts[number]
        for (identity, base) in context.bases where !context.deleted.contains(identity) {
            guard let newest = stored[identity] else {
                context.bases[identity] = nil
                context.rows[identity] = nil
                continue
            }
            context.rows[identity] = context.rows[identity]?.rebased(from: base, onto: newest)
            context.bases[identity] = newest
        }
        for (identity, newest) in stored where context.bases[identity] == nil {
            context.rows[identity] = newest
            context.bases[identity] = newest
        }
        contexts[number] = context
    }

    mutating func rollback(_ number: Int) {
        contexts[number].rows = contexts[number].bases
        contexts[number].deleted = []
    }

    /// - Returns: false where the save must fail, with everything as it was.
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
            commit(row, identity, &context)
            return
        }
        guard let newest = stored[identity] else {
            if policy == .overwrite {
                commit(row, identity, &context)
            } else {
                context.bases[identity] = nil
                context.rows[identity] = nil
            }
            return
        }
        commit(Self.resolve(row, base, newest, policy), identity, &context)
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

    private mutating func commit(
        _ row: PolicyRow, _ identity: Identity, _ context: inout Context
    ) {
        var written = row
        if let newest = stored[identity], row.hasValues(of: newest) {
            written = newest
        } else {
            version += 1
            written.version = version
        }
        stored[identity] = written
        context.bases[identity] = written
        context.rows[identity] = written
    }
}
