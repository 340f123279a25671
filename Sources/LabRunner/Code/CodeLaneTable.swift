import LabSchedule

/// The lanes that exist in every schedule: first the sessions, then the main queue and the
/// coordinators.
///
/// Every other lane gets the next free number when a schedule puts the first item into it. The
/// number depends only on the earlier choices, so a path (a list of lane numbers) means the same in
/// every run. The lane's name consists of the name of its creator and a serial number. Tokens
/// contain these names.
struct CodeLaneTable: Sendable {
    let sessions: [String]

    /// The maximum number of sessions. A path must also have room for the lanes that sessions
    /// create.
    static let sessionsMax = 12

    var mainLane: Int { sessions.count }
    var coordinatorLane: Int { sessions.count + 1 }

    var names: [String] { sessions + ["~main", "~coordinators"] }

    let plan: SchedulePlan

    init(sessions: [String]) {
        self.sessions = sessions
        var plan = SchedulePlan(
            lanes: [],
            mailboxes: (0..<SchedulePlan.laneMax).map {
                SchedulePlan.Mailbox(name: "\($0)", causes: [])
            })
        plan.isOpen = true
        self.plan = plan
    }
}
