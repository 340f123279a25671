import CoreDataModel
import CoreDataSQL

/// The texts of the statements that a store runs repeatedly for one entity.
final class EntityTexts: Sendable {
    let reader: ResultRowPacker
    /// The columns of a SELECT that returns keys: the entity number, or `0` if the entity has no
    /// subentities, and the key.
    let keyList: String
    let row: String
    let rows: String
    let toMany: ContiguousArray<ToMany?>

    /// The texts for one to-many relationship.
    struct ToMany: Sendable {
        let destination: Int
        /// Whether `all` returns whole rows. Otherwise it returns keys.
        let readsRows: Bool
        let one: String
        let all: String
    }

    init(_ entity: EntityLayout, _ schema: StoreSchema) {
        reader = ResultRowPacker(entity: entity, schema: schema)
        let texts = RowTexts(entity, schema: schema, list: reader.selectList)
        keyList = texts.identity
        row = texts.row
        rows = texts.rows
        toMany = ContiguousArray(
            entity.toMany.map { slot in
                MemberTexts(slot, schema: schema).map { texts in
                    let list = ResultRowPacker(
                        entity: schema.layout[slot.destinationIndex], schema: schema
                    ).selectList
                    return ToMany(
                        destination: slot.destinationIndex, readsRows: texts.readsRows,
                        one: texts.one, all: texts.all(list))
                }
            })
    }
}
