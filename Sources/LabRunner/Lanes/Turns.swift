import ContextHistory
import CoreDataEngine
import CoreDataStore
import LabCheck
import LabScenario

/// Decides whether a step can be interrupted. Either each lane (session or mailbox) runs a step to
/// its end, or each lane is a thread and a baton lets one thread run at a time.
protocol Turns: AnyObject {
    func makeQueue(_ context: CellPlan.Context) -> any LabQueue

    func giveUp()

    func begin()

    func run(lane: Int) throws(CoreDataError)

    func isInsideStep(_ lane: Int) -> Bool

    func waiting(inMailbox mailbox: Int) -> Int

    func nextName(lane: Int) -> String?

    /// Ends a complete schedule.
    ///
    /// - Returns: the observations if the state can no longer be read; otherwise nil.
    func finish() -> [ObservedValue]?

    /// Findings that depend on how lanes interrupt each other, such as deadlocks.
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
