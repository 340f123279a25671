import ContextHistory
import CoreDataEngine
import CoreDataStore
import LabCheck
import LabScenario
import LabSchedule

/// Runs the schedules of one cell on the engine. Its contexts use the lab's queues. Their store is
/// restored before each schedule. Explorers and replays choose the session or mailbox that
/// continues.
final class CellWorld: ScheduleWorld {
    let lab: LabWorld
    let lanes: Lanes
    let turns: any Turns
    private(set) var outcome = Outcome(values: [])

    init(_ lab: LabWorld, turns: (Lanes) -> any Turns = InlineTurns.init) {
        self.lab = lab
        lanes = Lanes(lab)
        self.turns = turns(lanes)
    }

    func reset() throws(CoreDataError) {
        turns.giveUp()
        lanes.reset()
        try lab.reset { turns.makeQueue($0) }
        lab.observeWaiting()
        turns.begin()
    }

    func run(lane: Int) throws(CoreDataError) {
        lanes.beginFootprint(of: lane)
        try turns.run(lane: lane)
        lanes.endFootprint(of: lane, isInsideStep: turns.isInsideStep(lane))
    }

    func waiting(inMailbox mailbox: Int) -> Int { turns.waiting(inMailbox: mailbox) }

    func nextName(lane: Int) -> String? { turns.nextName(lane: lane) }

    func finish() throws(CoreDataError) {
        if let values = turns.finish() {
            isCutShort = true
            outcome = Outcome(values: values)
            return
        }
        isCutShort = false
        lanes.noteNeverRun()
        lab.recorder.begin(step: "end", context: "")
        lab.failNoMore()
        lab.recordHeld()
        outcome = Outcome(values: try Observer(world: lab).observe())
    }

    /// Whether the last schedule ended in a state that cannot be read.
    private var isCutShort = false

    var findings: [Detection] {
        let found = isCutShort ? [] : Detectors.findings(in: lab.recorder.history)
        return found + (isCutShort ? [] : lanes.findings) + turns.findings
    }

    /// The circular dependencies of the most recent schedule.
    var cycles: [Cycle] { isCutShort ? [] : Cycle.all(in: lab.recorder.history) }

    var recordsFootprints: Bool {
        get { lab.footprints != nil }
        set { lab.recordFootprints(newValue) }
    }

    var footprint: Footprint { lanes.footprint }
}
