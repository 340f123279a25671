import LabSchedule

/// The lanes that every schedule has: sessions first, then the main queue and coordinators.
///
/// Every other lane gets the next number when a schedule puts the first item into it. So a lane's
/// number depends only on the choices before it, and a path has the same meaning in every run. The
/// name of such a lane consists of its creator's name and a number, which counts the lanes of this
/// creator. Tokens contain these names.
struct CodeLaneTable: Sendable {
    let sessions: [String]

    /// The maximum number of sessions: the lanes that they create must fit into a path, too.
    static let sessionsMax = 12

    var mainLane: Int { sessions.count }
    var coordinatorLane: Int { sessions.count + 1 }

    var names: [String] { sessions + ["~main", "~coordinators"] }

    /// A plan of lanes whose steps are unknown before they run.
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
