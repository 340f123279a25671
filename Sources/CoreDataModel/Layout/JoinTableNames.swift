/// The names of the join tables that many-to-many relationships need.
///
/// If only one end is ordered, the table has the name of this end. Otherwise it has the name of the
/// end whose entity has the smaller number. If both ends belong to the same entity, it has the
/// smaller of the two names. (`Z_1FAVORITES` of real bookmark stores has the columns
/// `Z_1FAVORITEFOLDERS`, `Z_1FAVORITES` and `Z_FOK_1FAVORITES`, and only `favorites` is ordered
/// there.)
struct JoinTableNames {
    private let order: EntityOrder
    private var tables = NameRegistry()
    private var columns = NameRegistry()
    private var done: [ObjectIdentifier: ToManyStorage] = [:]

    init(_ order: EntityOrder) { self.order = order }

    /// The storage of one end of a relationship. The other end has the same table, with the columns
    /// swapped.
    mutating func storage(of relationship: NSRelationshipDescription) -> ToManyStorage {
        if let storage = done[ObjectIdentifier(relationship)] { return storage }
        guard let inverse = relationship.inverseRelationship else { return .none }
        let storages = makeStorages(relationship, inverse)
        done[ObjectIdentifier(relationship)] = storages.own
        done[ObjectIdentifier(inverse)] = storages.inverse
        return storages.own
    }

    private mutating func makeStorages(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription
    ) -> (own: ToManyStorage, inverse: ToManyStorage) {
        if relationship === inverse {
            let storage = reflexiveStorage(relationship)
            return (storage, storage)
        }
        let leads = leads(relationship, inverse)
        let (naming, other) = leads ? (relationship, inverse) : (inverse, relationship)
        let table = tables.take("Z_\(part(naming.owner, naming))")
        let ownerPart = part(naming.owner, other)
        let memberPart = part(other.owner, naming)
        let owner = columns.take("Z_\(ownerPart)")
        let member = columns.take("Z_\(memberPart)")
        let order = naming.isOrdered ? "Z_FOK_\(member.dropFirst(2))" : nil
        let otherOrder = other.isOrdered ? "Z_FOK_\(owner.dropFirst(2))" : nil
        let forward = ToManyStorage.joinTable(
            table: table, ownerColumn: owner, destinationColumn: member, orderColumn: order,
            inverseOrderColumn: otherOrder)
        let backward = ToManyStorage.joinTable(
            table: table, ownerColumn: member, destinationColumn: owner, orderColumn: otherOrder,
            inverseOrderColumn: order)
        return leads ? (forward, backward) : (backward, forward)
    }

    /// The storage of a relationship that is its own inverse, such as `friends`.
    private mutating func reflexiveStorage(
        _ relationship: NSRelationshipDescription
    ) -> ToManyStorage {
        let table = tables.take("Z_\(part(relationship.owner, relationship))")
        let column = columns.take("Z_\(part(relationship.owner, relationship))")
        return .joinTable(
            table: table, ownerColumn: column, destinationColumn: "REFLEXIVE",
            orderColumn: relationship.isOrdered ? "Z_FOK_REFLEXIVE" : nil,
            inverseOrderColumn: relationship.isOrdered ? "Z_FOK_\(column.dropFirst(2))" : nil)
    }

    private func part(
        _ entity: NSEntityDescription?, _ relationship: NSRelationshipDescription
    ) -> String {
        "\(entity.map { order.number(of: $0) } ?? 0)\(relationship.name.uppercased())"
    }

    private func leads(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription
    ) -> Bool {
        if relationship.isOrdered != inverse.isOrdered { return relationship.isOrdered }
        let own = relationship.owner.map { order.number(of: $0) } ?? 0
        let other = inverse.owner.map { order.number(of: $0) } ?? 0
        return own == other ? relationship.name.precedesInASCII(inverse.name) : own < other
    }
}
