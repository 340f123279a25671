import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore

/// Reads rows directly from the stores to detect changes that bypass all contexts.
enum CodeRows {
    /// Fetches the rows of an entity and its subentities. Executes one SELECT for each store.
    ///
    /// - Parameter alias: names the destination of a to-one value.
    static func read(
        _ entity: EntityLayout, of coordinator: NSPersistentStoreCoordinator?,
        _ layout: ModelLayout, _ alias: (ObjectKey) -> String
    ) -> [ObjectKey: Row] {
        let root = layout[entity.rootIndex]
        guard let reader = try? coordinator?.reader(for: root),
            let fetched = try? reader.fetchRows(FetchPlan(entity: root), generation: 0)
        else { return [:] }
        var rows: [ObjectKey: Row] = [:]
        for block in fetched.blocks {
            for index in 0..<block.count {
                let cells = RowReference(block: block, index: index).cells
                let entity = layout[RowFormat.entity(cells)]
                let key = ObjectKey(entity: entity.index, key: RowFormat.key(cells))
                rows[key] = Row(cells: cells, entity: entity, name: alias)
            }
        }
        return rows
    }
}

extension BatchPlan {
    var namedSlots: [Int] {
        switch self {
        case .insert(let insert): Set(insert.named.flatMap(\.self)).sorted()
        case .update(let update): update.assignments.map(\.slot)
        case .delete: []
        }
    }
}
