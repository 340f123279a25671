import CoreDataModel

/// Finds the owners and members of a relationship in the tables of the source model.
struct MembershipSource {
    let source: ModelLayout
    /// The column of the primary keys.
    let key: String

    /// The columns in which the source model stores a relationship as a foreign key.
    struct ForeignKey: Equatable {
        /// The index of the root entity whose table has the columns.
        let tableRoot: Int
        let column: String
        let entityColumn: String?
        let orderColumn: String?
        /// The entity of the row to which the key refers.
        let target: Int
    }

    /// A SELECT of the owners and members of a relationship, with their order numbers on either
    /// side.
    struct Pairs {
        let sql: String
        let hasOrder: Bool
        let hasInverseOrder: Bool
    }

    /// The foreign key of a to-one relationship: a column in the rows of `entity` itself.
    func ownKey(_ slot: SchemaMapping.Slot, of entity: Int) -> ForeignKey? {
        guard case .value(let index) = slot else { return nil }
        let value = source[entity].values[index]
        guard let column = value.column, let toOne = value.toOne else { return nil }
        return ForeignKey(
            tableRoot: source[entity].rootIndex, column: column, entityColumn: toOne.entityColumn,
            orderColumn: nil, target: toOne.destinationIndex)
    }

    /// The foreign key of a to-many relationship of `owner`: a column in the rows of the
    /// destination.
    func memberKey(_ slot: SchemaMapping.Slot, of owner: Int) -> ForeignKey? {
        guard case .toMany(let index) = slot else { return nil }
        let relationship = source[owner].toMany[index]
        guard case .foreignKey(let column, let entityColumn, let order) = relationship.storage
        else { return nil }
        return ForeignKey(
            tableRoot: source[relationship.destinationIndex].rootIndex, column: column,
            entityColumn: entityColumn, orderColumn: order, target: owner)
    }

    /// For a relationship whose members have at most one owner: the column or the pairs that
    /// contain the owner of a member.
    func key(_ slot: SchemaMapping.Slot, of owner: Int) -> RowMoves.KeySource {
        if let key = memberKey(slot, of: owner) { return .column(key) }
        return pairs(slot, of: owner).map { .lookUp($0, owner: owner) } ?? .none
    }

    /// All pairs of owner and member in a relationship, in whichever form they are stored. Nil if
    /// the source model does not store the relationship.
    func pairs(_ slot: SchemaMapping.Slot, of owner: Int) -> Pairs? {
        switch slot {
        case .none: return nil
        case .value:
            guard let key = ownKey(slot, of: owner) else { return nil }
            let table = source[owner].tableName
            return Pairs(
                sql: "SELECT \(self.key) AS A, \(key.column) AS B, NULL AS C, NULL AS D"
                    + " FROM \(table) WHERE \(key.column) IS NOT NULL", hasOrder: false,
                hasInverseOrder: false)
        case .toMany(let index):
            if let key = memberKey(slot, of: owner) {
                let table = source[key.tableRoot].tableName
                return Pairs(
                    sql: "SELECT \(key.column) AS A, \(self.key) AS B,"
                        + " \(key.orderColumn ?? "NULL") AS C, NULL AS D FROM \(table)"
                        + " WHERE \(key.column) IS NOT NULL",
                    hasOrder: key.orderColumn != nil, hasInverseOrder: false)
            }
            guard
                case .joinTable(let table, let own, let other, let order, let inverse) =
                    source[owner].toMany[index].storage
            else { return nil }
            return Pairs(
                sql: "SELECT \(own) AS A, \(other) AS B, \(order ?? "NULL") AS C,"
                    + " \(inverse ?? "NULL") AS D FROM \(table)", hasOrder: order != nil,
                hasInverseOrder: inverse != nil)
        }
    }
}
