import CWaitHooks
import CoreDataStore
import LabSchedule

/// Prints the token of the current schedule if the program's code ends the process by a trap.
final class TrapReport {
    /// An exploration, as a message names it.
    struct Origin {
        let name: String
        /// The function that explores, in the compiler's spelling.
        let function: String
    }

    private let trap: OpaquePointer
    /// The names of the lanes that `trap` knows.
    private var names = Array(repeating: "", count: SchedulePlan.laneMax)

    private init(_ scope: ConfinementScope, before: String, after: String) {
        let watched = Unmanaged.passUnretained(scope).toOpaque()
        let start = "faultline: the process ends in \(before)"
        // Safe: the function always returns a value.
        trap = faultline_watch_traps(watched, start, "\(after)\n")!
    }

    /// Reports the schedules of an exploration.
    ///
    /// - Parameters:
    ///   - sessions: the names of the sessions; nil while they are not known.
    ///   - isChanged: whether the lab has changed the behaviour of the code.
    convenience init(
        _ scope: ConfinementScope, _ origin: Origin, sessions: [String]?, isChanged: Bool
    ) {
        let name = "'\(origin.name)'"
        guard let sessions else {
            self.init(
                scope,
                before: "the first schedule of \(name), in which the sessions run one after"
                    + " another: ",
                after: "")
            return
        }
        if isChanged {
            self.init(
                scope,
                before: "a schedule with which the lab tries a cure for the failure of \(name); set"
                    + " Lab.Options.cures to false to see the failure. The steps: ",
                after: "")
            return
        }
        let mark = "\u{1}"
        let line = ReplayCommand.line(
            CodeToken.text(origin.name, sessions: sessions, steps: [mark]),
            function: origin.function)
        let parts = line.split(separator: mark, maxSplits: 1).map(String.init)
        self.init(
            scope, before: "a schedule of \(name). This command runs it again:\n\(parts[0])",
            after: parts.count == 2 ? parts[1] : "")
    }

    deinit { faultline_end_traps(trap) }

    /// Begins a schedule.
    func begin() { faultline_begin_path(trap) }

    /// Records that a lane runs next.
    func note(_ lane: Int, named name: String) {
        if names[lane] != name {
            names[lane] = name
            faultline_name_lane(trap, Int32(lane), ReplayCommand.escaped(name.tokenWord))
        }
        faultline_add_step(trap, Int32(lane))
    }
}
