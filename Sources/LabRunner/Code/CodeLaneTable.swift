import LabSchedule

/// The lanes that every schedule has: sessions first, then the main queue and coordinators.
///
/// All others get the numbers behind these as a schedule puts the first thing into them, so a
/// lane's number hangs on the choices before it only, and a path means the same in every run. Their
/// names say who has made them and how many it had made; tokens have those.
struct CodeLaneTable: Sendable {
    let sessions: [String]

    /// The most sessions: the lanes that they make must fit into a path, too.
    static let sessionsMax = 12

    var mainLane: Int { sessions.count }
    var coordinatorLane: Int { sessions.count + 1 }

    var names: [String] { sessions + ["~main", "~coordinators"] }

    /// Lanes of which nothing is known before they run.
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
