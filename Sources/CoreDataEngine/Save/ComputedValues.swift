import CoreDataModel
import CoreDataStore

/// Reads the values that the store computed during a save.
extension NSManagedObjectContext {
    /// Reads the rows of objects with derived attributes and attaches them. Executes one SELECT for
    /// each entity.
    ///
    /// If the rows of an entity cannot be read, its objects keep the rows that the save has
    /// written.
    final func takeComputed(_ keys: [ObjectKey], _ coordinator: NSPersistentStoreCoordinator) {
        if keys.isEmpty { return }
        var waiting: [Int32: ContiguousArray<ObjectKey>] = [:]
        for key in keys {
            guard let object = registry.registered(key), object.cells != nil,
                !object.state.contains(.deleted)
            else { continue }
            waiting[Int32(key.entity), default: []].append(key)
        }
        for (entity, keys) in waiting.sorted(by: { $0.key < $1.key }) {
            let rows = try? coordinator.rows(keys, entity: binding.layout[Int(entity)])
            for block in rows?.blocks ?? [] {
                for index in 0..<block.count { take(block, index) }
            }
        }
    }

    private func take(_ block: RowBlock, _ index: Int) {
        let cells = block.cells(at: index)
        let key = ObjectKey(entity: RowFormat.entity(cells), key: RowFormat.key(cells))
        guard let object = registry.registered(key) else { return }
        let row = RowReference(block: block, cells: cells)
        object.noticingRow(row.cells) { object.attach(row) }
    }
}
