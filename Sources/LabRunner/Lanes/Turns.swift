import ContextHistory
import CoreDataEngine
import CoreDataStore
import LabCheck
import LabScenario

/// The turns of the lanes of a schedule: each lane runs to its end, or threads pass on a baton.
protocol Turns: AnyObject {
    /// The queue of a context for one schedule.
    func makeQueue(_ context: CellPlan.Context) -> any LabQueue

    /// Abandons a schedule before its end.
    func giveUp()

    /// Starts a schedule, after everything was reset.
    func begin()

    /// Runs a lane until the schedule may choose again.
    func run(lane: Int) throws(CoreDataError)

    /// Whether a lane is in the middle of a step.
    func isInsideStep(_ lane: Int) -> Bool

    /// The number of entries in a mailbox of the schedule.
    func waiting(inMailbox mailbox: Int) -> Int

    /// The name of a lane's next step, or nil if it has none.
    func nextName(lane: Int) -> String?

    /// Ends a complete schedule.
    ///
    /// - Returns: the observations if the state can no longer be read; otherwise nil.
    func finish() -> [ObservedValue]?

    /// The findings from taking turns, such as deadlocks.
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
