import CoreDataStore
import LabCheck

/// Runs every twentieth schedule a second time and compares the two histories. Cell runners have
/// one beside each part of a walk.
struct Repetition {
    /// One of so many schedules is repeated.
    var interval = 20
    private var count: Int
    private(set) var repeated = 0
    /// The lanes of a schedule whose two histories differ.
    private(set) var difference: [UInt8]?

    /// - Parameter count: how many schedules to count as before; a part counts from its number, so
    ///   that small parts are repeated as often as large ones.
    init(after count: Int = 0) { self.count = count }

    /// Takes a schedule that has just finished, and perhaps runs it again.
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

    /// What two runs of one schedule must have in common.
    private func seen(in world: CellWorld) -> (history: UInt64, outcome: Outcome) {
        (HistoryDigest.of(world.lab.recorder.history), world.outcome)
    }
}
