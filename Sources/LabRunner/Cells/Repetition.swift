import CoreDataStore
import LabCheck

/// Runs every twentieth schedule a second time and compares the two histories. Cell runners have
/// one for each part of a walk.
struct Repetition {
    /// The interval of repeated schedules.
    var interval = 20
    private var count: Int
    private(set) var repeated = 0
    /// The lanes of a schedule whose two histories differ.
    private(set) var difference: [UInt8]?

    /// - Parameter count: the number of schedules before the first. A part of a walk passes the
    ///   number of the part, so that small parts are repeated as often as large ones.
    init(after count: Int = 0) { self.count = count }

    /// Counts a schedule that has just finished, and runs some of them again.
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

    /// The observations that two runs of one schedule must share.
    private func seen(in world: CellWorld) -> (history: UInt64, outcome: Outcome) {
        (HistoryDigest.of(world.lab.recorder.history), world.outcome)
    }
}
