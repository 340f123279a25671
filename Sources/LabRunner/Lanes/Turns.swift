import CoreDataEngine
import CoreDataStore
import LabCheck
import LabScenario

/// How the lanes of a schedule take turns: each to its end, or as threads that hand on a baton.
protocol Turns: AnyObject {
    /// The queue of a context for one schedule.
    func makeQueue(_ context: CellPlan.Context) -> any LabQueue

    /// Ends a schedule that was left before its end.
    func giveUp()

    /// Everything is back at the start.
    func begin()

    /// Runs what a lane runs until the schedule may choose again.
    func run(lane: Int) throws(CoreDataError)

    /// Whether a lane has begun a step and not ended it.
    func isInsideStep(_ lane: Int) -> Bool

    /// How many entries wait in a mailbox of the schedule.
    func waiting(inMailbox mailbox: Int) -> Int

    /// The name of what a lane would run next, or nil if nothing waits.
    func nextName(lane: Int) -> String?

    /// The schedule has come to its end.
    ///
    /// - Returns: what is observed where nothing can be looked at any more; otherwise nil.
    func finish() -> [ObservedValue]?

    /// What was found by taking turns.
    var findings: [Detection] { get }
}

/// Runs every step to its end on the calling thread.
final class InlineTurns: Turns {
    private let lanes: Lanes

    init(_ lanes: Lanes) { self.lanes = lanes }

    func makeQueue(_ context: CellPlan.Context) -> any LabQueue {
        SteppedQueue(label: context.name)
    }

    func giveUp() {}

    func begin() {}

    func run(lane: Int) throws(CoreDataError) { try lanes.run(lane) }

    func isInsideStep(_ lane: Int) -> Bool { false }

    func waiting(inMailbox mailbox: Int) -> Int { lanes.mailboxes.count(in: mailbox) }

    func nextName(lane: Int) -> String? { lanes.nextName(lane) }

    func finish() -> [ObservedValue]? { nil }

    var findings: [Detection] { [] }
}
