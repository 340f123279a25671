import CoreDataModel
import Testing

@testable import CoreDataStore

/// The invariants of save plans and of a store in memory are violated deliberately.
@Suite struct PlanInvariantTests {
    private let layout = StoreModels.library

    private func update(_ key: Int64) -> SavePlan.Update {
        var update = SavePlan.Update(entity: layout[0], slots: [0])
        update.keys = [key]
        update.versions = [1]
        update.values = [.null]
        return update
    }

    @Test func `a save plan detects a row that is written twice`() {
        var plan = SavePlan()
        plan.updates = [update(1), update(2)]
        #expect(plan.brokenInvariant() == nil && plan.rowCount == 2)
        var deleted = SavePlan.Delete(entity: layout[0])
        deleted.keys = [2]
        deleted.versions = [1]
        plan.deletes = [deleted]
        #expect(plan.brokenInvariant() == "The plan writes \(layout[0].name) 2 twice.")
    }

    @Test func `a save plan detects rows without a version or a value`() {
        var plan = SavePlan()
        plan.updates = [update(1)]
        plan.updates[0].versions = []
        #expect(
            plan.brokenInvariant()
                == "A changed \(layout[0].name) lacks the expected version of its row.")
        plan.updates = [update(1)]
        plan.updates[0].values = []
        #expect(
            plan.brokenInvariant()
                == "A changed \(layout[0].name) does not have one value for each changed slot.")
    }

    @Test func `content in memory detects a row without a slot or without a key`() {
        var content = MemoryContent(layout: layout)
        let entity = layout[0]
        let row = MemoryContent.Row(
            entity: 0, version: 1, values: Array(repeating: .null, count: entity.values.count),
            members: Array(repeating: [], count: entity.toMany.count))
        content.insert(row, key: 3)
        #expect(content.brokenInvariant() == nil)
        content.rows[entity.rootIndex][3]?.values.append(.null)
        #expect(
            content.brokenInvariant() == "\(entity.name) 3 does not have the slots of its entity.")
        content.rows[entity.rootIndex][3] = row
        content.lastKey = 2
        #expect(content.brokenInvariant() == "\(entity.name) 3 has a key that was never assigned.")
    }
}
