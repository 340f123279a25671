import ContextHistory
import CoreDataStore
import LabScenario

/// Runs every twentieth schedule a second time and compares the two histories. An exploration runs
/// its schedules in parts, and each part has its own `Repetition`.
struct Repetition {
    var interval = 20
    private var count: Int
    private(set) var repeated = 0
    /// The path of a schedule whose two histories differ.
    private(set) var difference: [UInt8]?

    /// - Parameter count: the number at which the count of schedules begins. If it were 0 for every
    ///   part, parts with fewer than twenty schedules would repeat none.
    init(after count: Int = 0) { self.count = count }

    mutating func check(_ path: [UInt8], in world: CellWorld) throws(CoreDataError) {
        count += 1
        guard count % interval == 0, difference == nil else { return }
        let first = seen(in: world)
        try world.reset()
        for lane in path { try world.run(lane: Int(lane)) }
        try world.finish()
        repeated += 1
        if first != seen(in: world) { difference = path }
    }

    private func seen(in world: CellWorld) -> (history: UInt64, outcome: Outcome) {
        (HistoryDigest.of(world.lab.recorder.history), world.outcome)
    }
}
