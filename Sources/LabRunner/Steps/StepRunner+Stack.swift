import ContextHistory
import CoreDataStore
import LabScenario

extension StepRunner {
    func perform(_ action: StackAction) throws(Stop) -> String {
        switch action {
        case .enqueue(let block): world.enqueue(block.value)
        case .wait(let block): world.runBlock(block.value)
        case .outside(let sql, let name): return try outside(sql, name?.value)
        case .migrate(let keys):
            try engine { () throws(CoreDataError) in
                try world.store.migrate(
                    unique: keys.map { (entity: $0.entity.value, key: $0.key.value) })
            }
        case .removeStore:
            for store in coordinator?.persistentStores ?? [] { try? coordinator?.remove(store) }
        case .fail(let point): coordinator?.fail(at: point)
        }
        return ""
    }

    private var coordinator: NSPersistentStoreCoordinator? {
        world.store.coordinators[context.plan.coordinator]
    }

    private func outside(_ sql: String, _ name: String?) throws(Stop) -> String {
        let value: ObservedValue
        let before = world.watch.mirror
        do throws(StatementProblem) {
            value = try world.store.runOutside(sql, by: context.index)
        } catch {
            throw .outside(error)
        }
        try engine { () throws(CoreDataError) in try world.watch.readMirror() }
        noteOutside(since: before)
        bind(name, value)
        return value == .none ? "" : value.quoted
    }

    /// Records rows that another process has changed or deleted. New rows are not recorded, because
    /// they have no name and no step can have read them.
    private func noteOutside(since before: StoreMirror) {
        let keys = before.rows.keys.filter { before[$0] != world.watch.mirror[$0] }
            .sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
        if keys.isEmpty { return }
        world.recorder.record(
            .wroteOutside(
                keys.map { key in
                    Save.Change(
                        object: world.name(key), base: before[key], before: before[key],
                        after: world.watch.mirror[key], isDelete: world.watch.mirror[key] == nil)
                }))
    }
}
