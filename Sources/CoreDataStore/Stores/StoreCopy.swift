import CoreDataModel

/// Copies all rows and metadata from one store into an empty one, as values.
///
/// Called by the coordinator when a store is migrated to another location or type. Primary keys are
/// kept.
struct StoreCopy {
    private let source: any ObjectStore
    private let target: any ObjectStore
    private let layout: ModelLayout

    package init(from source: any ObjectStore, to target: any ObjectStore, layout: ModelLayout) {
        self.source = source
        self.target = target
        self.layout = layout
    }

    /// Runs one transaction, with one SELECT for each entity and for each relationship that needs
    /// separate memberships.
    package func run(entities: Set<Int>) throws(CoreDataError) {
        var plan = SavePlan()
        var lastKeys: [Int: Int64] = [:]
        for index in entities.sorted() {
            let entity = layout[index]
            let insert = try rows(of: entity)
            guard !insert.keys.isEmpty else { continue }
            lastKeys[entity.rootIndex] = max(
                lastKeys[entity.rootIndex] ?? 0, insert.keys.max() ?? 0)
            plan.inserts.append(insert)
            for (slot, relationship) in entity.toMany.enumerated() where relationship.isListed {
                plan.memberships += try memberships(entity, slot, insert.keys)
            }
        }
        // New objects must not get the keys of copied rows.
        for (root, last) in lastKeys {
            _ = try target.reserveKeys(Int(last), for: layout[root])
        }
        try target.setMetadata(source.metadata)
        let problem: String
        switch try target.save(plan) {
        case .committed: return
        case .conflicts, .constraintViolations:
            problem = "its rows break a uniqueness constraint. Remove the duplicates first."
        case .refused(let reason), .superseded(let reason), .unknown(let reason):
            problem = "\(reason). Copy the store again."
        }
        throw CoreDataError(.storeSave, "The copy of the store cannot be used: \(problem)")
    }

    private func rows(of entity: EntityLayout) throws(CoreDataError) -> SavePlan.Insert {
        var keys: ContiguousArray<Int64> = []
        var values: ContiguousArray<Value> = []
        let plan = FetchPlan(entity: entity, includesSubentities: false)
        for block in try source.fetchRows(plan, generation: 0).blocks {
            for index in 0..<block.count {
                let cells = block.cells(at: index)
                keys.append(RowFormat.key(cells))
                for (slot, layout) in entity.values.enumerated() {
                    values.append(
                        layout.isTransient
                            ? .null : RowFormat.value(cells, slot: slot, kind: layout.kind))
                }
            }
        }
        return SavePlan.Insert(entity: entity, keys: keys, values: values)
    }

    private func memberships(
        _ entity: EntityLayout, _ slot: Int, _ owners: ContiguousArray<Int64>
    ) throws(CoreDataError) -> [SavePlan.Membership] {
        let found = try source.destinations(
            ofAll: owners, entity: entity, slot: slot, generation: 0)
        return zip(owners, found.keysByOwner).compactMap { owner, members in
            guard !members.isEmpty else { return nil }
            return SavePlan.Membership(
                entity: entity, slot: slot, owner: owner, added: members, removed: [],
                order: entity.toMany[slot].isOrdered ? members : nil)
        }
    }
}

extension ToManySlot {
    /// Whether the members of a relationship, or their order, are stored outside the value slots of
    /// the destinations.
    package var isListed: Bool {
        switch storage {
        case .none: false
        case .foreignKey: isOrdered || inverse == .none
        case .joinTable: true
        }
    }
}
