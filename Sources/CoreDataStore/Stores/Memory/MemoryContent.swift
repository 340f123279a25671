import CoreDataModel

/// All rows of a store whose rows are all in memory. A store in the XML or binary format is read
/// from its file into one such value.
struct MemoryContent: Sendable {
    package struct Row: Sendable {
        /// The layout index of the row's own entity.
        package let entity: Int
        package var version: Int32
        /// The values, by value slot.
        package var values: [Value]
        /// The members of each relationship, by to-many slot.
        package var members: [[ObjectKey]]
    }

    package let layout: ModelLayout
    /// The rows, by the layout index of the root entity, then by key. Not private, because
    /// `MemoryStore+Loading` sets attributes in it and tests break its invariants.
    package var rows: [[Int64: Row]]
    /// The last assigned key. Keys are unique in the whole store.
    var lastKey: Int64 = 0
    /// Deleted rows to which other rows may still refer.
    private(set) var graves: Set<ObjectKey> = []
    /// The members that the current save has added to ordered lists without a position. Empty
    /// between saves.
    private var unplaced: Set<NewLink> = []

    private struct NewLink: Hashable {
        let owner: ObjectKey
        let slot: Int
        let member: Int64
    }

    package init(layout: ModelLayout) {
        self.layout = layout
        rows = Array(repeating: [:], count: layout.entities.count)
    }

    package func row(_ key: ObjectKey) -> Row? { rows[root(key)][key.key] }

    /// Inserts a row with its relationships. The other sides of the relationships are not updated.
    package mutating func insert(_ row: Row, key: Int64) {
        assert(
            row.values.count == layout[row.entity].values.count
                && row.members.count == layout[row.entity].toMany.count,
            "the row does not have the slots of its entity")
        rows[layout[row.entity].rootIndex][key] = row
        lastKey = max(lastKey, key)
    }

    /// The keys of an entity's rows in ascending order.
    package func keys(of entity: EntityLayout, includesSubentities: Bool) -> [Int64] {
        let family = rows[entity.rootIndex]
        let wanted = includesSubentities ? entity.familyRange : entity.index..<(entity.index + 1)
        if wanted == layout[entity.rootIndex].familyRange { return family.keys.sorted() }
        return family.filter { wanted.contains($0.value.entity) }.keys.sorted()
    }

    /// The members of a to-many relationship whose rows exist. For a deleted owner, the rows that
    /// still refer to it.
    package func members(of owner: ObjectKey, slot: Int) -> [ObjectKey] {
        guard let row = row(owner) else {
            return graves.contains(grave(owner)) ? membersLeading(to: owner, slot) : []
        }
        return row.members[slot].compactMap { key in
            self.row(key).map { ObjectKey(entity: $0.entity, key: key.key) }
        }
    }

    private func root(_ key: ObjectKey) -> Int { layout[Int(key.entity)].rootIndex }
}

// MARK: Saving

extension MemoryContent {
    /// The rows of a plan that do not exist, or whose version is not the one in the plan.
    func misses(of plan: SavePlan) -> [(key: ObjectKey, version: Int32)] {
        var misses: [(key: ObjectKey, version: Int32)] = []
        func check(_ entity: EntityLayout, _ key: Int64, _ version: Int32, _ mayBeGone: Bool) {
            let key = ObjectKey(entity: entity.index, key: key)
            guard let found = row(key) else {
                if !mayBeGone { misses.append((key, version)) }
                return
            }
            if found.version != version { misses.append((key, version)) }
        }
        for lock in plan.locks { check(lock.entity, lock.key, lock.version, false) }
        for group in plan.deletes {
            // If another save has already deleted the row, there is nothing to do.
            for (key, version) in zip(group.keys, group.versions) {
                check(group.entity, key, version, true)
            }
        }
        for group in plan.updates {
            for (key, version) in zip(group.keys, group.versions) {
                check(group.entity, key, version, false)
            }
        }
        // A row may exist if an earlier save of it was reported as failed.
        for group in plan.inserts {
            for key in group.keys {
                let key = ObjectKey(entity: group.entity.index, key: key)
                if row(key) != nil { misses.append((key, 0)) }
            }
        }
        return misses
    }

    /// Writes a plan, whose rows must all exist with the expected versions.
    package mutating func apply(_ plan: SavePlan) {
        for group in plan.deletes {
            for key in group.keys { delete(ObjectKey(entity: group.entity.index, key: key)) }
            forget(group)
        }
        // New rows are inserted first, because an updated row may refer to them.
        for group in plan.inserts { insert(group) }
        for group in plan.updates { update(group) }
        for group in plan.inserts { linkAll(group) }
        // All new rows are linked before members that already refer to a new row are searched.
        // Otherwise a new member would be found and linked a second time.
        for group in plan.inserts { findMembers(of: group) }
        for membership in plan.memberships { change(membership) }
        unplaced = []
        assert(
            hasLinks(of: plan), "a list lacks an object whose to-one relationship names the owner")
        checkInvariants()
    }

    private mutating func insert(_ group: SavePlan.Insert) {
        for (index, key) in group.keys.enumerated() {
            let row = Row(
                entity: group.entity.index, version: 1,
                values: group.entity.values.indices.map { group.value(index, $0) },
                members: Array(repeating: [], count: group.entity.toMany.count))
            insert(row, key: key)
        }
    }

    private mutating func findMembers(of group: SavePlan.Insert) {
        if graves.isEmpty { return }
        for key in group.keys {
            let key = ObjectKey(entity: group.entity.index, key: key)
            if graves.remove(grave(key)) != nil { findMembers(of: key) }
        }
    }

    /// If a row is created again under its former key, it gets the members that still refer to it.
    private mutating func findMembers(of owner: ObjectKey) {
        for slot in layout[Int(owner.entity)].toMany.indices {
            add(membersLeading(to: owner, slot), to: owner, slot)
        }
    }

    /// The keys of the objects that refer to an owner, by a to-one value or in a list of members.
    /// The owner does not list them, so all objects are searched.
    private func membersLeading(to owner: ObjectKey, _ slot: Int) -> [ObjectKey] {
        let relationship = layout[Int(owner.entity)].toMany[slot]
        let destination = layout[relationship.destinationIndex]
        let names: (Row) -> Bool
        switch relationship.inverse {
        case .none: return []
        case .value(let inverse):
            names = { row in
                guard case .reference(let wanted) = row.values[inverse] else { return false }
                return grave(wanted) == grave(owner)
            }
        case .toMany(let inverse):
            names = { row in row.members[inverse].contains { grave($0) == grave(owner) } }
        }
        return rows[destination.rootIndex].sorted { $0.key < $1.key }.compactMap { key, row in
            guard destination.familyRange.contains(row.entity), names(row) else { return nil }
            return ObjectKey(entity: row.entity, key: key)
        }
    }

    /// An object's key with the root entity instead of the object's own entity. So each object has
    /// only one such key.
    private func grave(_ key: ObjectKey) -> ObjectKey { ObjectKey(entity: root(key), key: key.key) }

    private mutating func linkAll(_ group: SavePlan.Insert) {
        for key in group.keys {
            let key = ObjectKey(entity: group.entity.index, key: key)
            for slot in group.entity.values.indices { link(key, slot) }
        }
    }

    private mutating func update(_ group: SavePlan.Update) {
        let width = group.slots.count
        let root = group.entity.rootIndex
        assert(group.brokenInvariant() == nil, group.brokenInvariant() ?? "")
        for (index, number) in group.keys.enumerated() {
            assert(rows[root][number] != nil, "the plan changes a row that does not exist")
            let key = ObjectKey(entity: group.entity.index, key: number)
            rows[root][number]?.version += 1
            for (place, slot) in group.slots.enumerated() {
                let value = group.values[index * width + place]
                // A member whose reference is unchanged keeps its position in the owner's list.
                if rows[root][number]?.values[slot] == value { continue }
                unlink(key, slot)
                rows[root][number]?.values[slot] = value
                link(key, slot)
            }
        }
    }

    private mutating func delete(_ key: ObjectKey) {
        guard let row = row(key) else { return }
        let entity = layout[row.entity]
        for slot in entity.values.indices { unlink(key, slot) }
        for (slot, relationship) in entity.toMany.enumerated() {
            guard case .joinTable = relationship.storage,
                case .toMany(let inverse) = relationship.inverse
            else { continue }
            for member in row.members[slot] { remove(key, from: member, inverse) }
        }
        if row.members.contains(where: { !$0.isEmpty }) { graves.insert(grave(key)) }
        rows[root(key)][key.key] = nil
    }

    /// Removes deleted members from the lists of relationships without an inverse.
    private mutating func forget(_ group: SavePlan.Delete) {
        let gone = Set(group.keys)
        for owner in layout.entities {
            for (slot, relationship) in owner.toMany.enumerated()
            where relationship.inverse == .none {
                guard layout[relationship.destinationIndex].rootIndex == group.entity.rootIndex
                else { continue }
                let root = owner.rootIndex
                for (key, row) in rows[root] where row.entity == owner.index {
                    if row.members[slot].allSatisfy({ !gone.contains($0.key) }) { continue }
                    rows[root][key]?.members[slot].removeAll { gone.contains($0.key) }
                }
            }
        }
    }
}

// MARK: Relationships

extension MemoryContent {
    /// For a to-one value, its destination and the destination's to-many slot that lists this row.
    /// Nil if the row or the value is missing, or the inverse is not to-many.
    package func list(_ key: ObjectKey, _ slot: Int) -> (owner: ObjectKey, slot: Int)? {
        guard let row = row(key), case .reference(let owner) = row.values[slot],
            case .toMany(let inverse)? = layout[row.entity].values[slot].toOne?.inverse
        else { return nil }
        return (owner, inverse)
    }

    private mutating func link(_ key: ObjectKey, _ slot: Int) {
        guard let list = list(key, slot) else { return }
        guard row(list.owner) != nil else {
            graves.insert(grave(list.owner))
            return
        }
        rows[root(list.owner)][list.owner.key]?.members[list.slot].append(key)
        if layout[Int(list.owner.entity)].toMany[list.slot].isOrdered {
            unplaced.insert(NewLink(owner: grave(list.owner), slot: list.slot, member: key.key))
        }
    }

    private mutating func unlink(_ key: ObjectKey, _ slot: Int) {
        guard let list = list(key, slot) else { return }
        remove(key, from: list.owner, list.slot)
    }

    private mutating func remove(_ key: ObjectKey, from owner: ObjectKey, _ slot: Int) {
        rows[root(owner)][owner.key]?.members[slot].removeAll { $0.key == key.key }
    }

    private mutating func change(_ membership: SavePlan.Membership) {
        let owner = ObjectKey(entity: membership.entity.index, key: membership.owner)
        let relationship = membership.entity.toMany[membership.slot]
        switch relationship.storage {
        case .none: return
        case .joinTable:
            changePairs(owner, membership, inverse: relationship.inverse)
        case .foreignKey where relationship.inverse == .none:
            // A member has at most one owner here, but its row does not name the owner. So it is
            // removed from the lists of all owners.
            for key in membership.added { removeFromAll(key, membership.entity, membership.slot) }
            add(membership.added, to: owner, membership.slot)
            for key in membership.removed { remove(key, from: owner, membership.slot) }
        case .foreignKey: break
        }
        if let order = membership.order { reorder(owner, membership, by: order) }
    }

    /// Sorts members into an order, moving as few as possible. A member that the order does not
    /// contain keeps its position, because only links add or remove members.
    private mutating func reorder(
        _ owner: ObjectKey, _ membership: SavePlan.Membership, by order: [ObjectKey]
    ) {
        guard let members = row(owner)?.members[membership.slot] else { return }
        let keys = members.map(\.key)
        var places = Dictionary(
            zip(keys, keys.indices.map(OrderValues.value)), uniquingKeysWith: { first, _ in first })
        let known = Set(keys)
        for added in membership.added { places[added.key] = nil }
        for key in keys {
            let new = NewLink(owner: grave(owner), slot: membership.slot, member: key)
            if unplaced.contains(new) { places[key] = nil }
        }
        let changes = OrderValues.changes(
            to: order.map(\.key).filter(known.contains), places: places,
            unplaced: keys.filter { places[$0] == nil })
        for change in changes { places[change.key] = change.value }
        rows[root(owner)][owner.key]?.members[membership.slot] =
            members.enumerated().sorted { one, other in
                let (left, right) = (places[one.element.key] ?? 0, places[other.element.key] ?? 0)
                return left == right ? one.offset < other.offset : left < right
            }.map(\.element)
    }

    private mutating func changePairs(
        _ owner: ObjectKey, _ membership: SavePlan.Membership, inverse: InverseSlot
    ) {
        add(membership.added, to: owner, membership.slot)
        for key in membership.removed { remove(key, from: owner, membership.slot) }
        guard case .toMany(let inverse) = inverse else { return }
        for key in membership.added { add([owner], to: key, inverse) }
        for key in membership.removed { remove(owner, from: key, inverse) }
    }

    private mutating func add(_ keys: [ObjectKey], to owner: ObjectKey, _ slot: Int) {
        guard row(owner) != nil else {
            graves.insert(grave(owner))
            return
        }
        let known = Set((row(owner)?.members[slot] ?? []).map(\.key))
        let new = keys.filter { !known.contains($0.key) }
        rows[root(owner)][owner.key]?.members[slot] += new
    }

    private mutating func removeFromAll(_ key: ObjectKey, _ entity: EntityLayout, _ slot: Int) {
        for (owner, row) in rows[entity.rootIndex]
        where row.members.indices.contains(slot)
            && row.members[slot].contains(where: { $0.key == key.key })
        {
            rows[entity.rootIndex][owner]?.members[slot].removeAll { $0.key == key.key }
        }
    }
}
