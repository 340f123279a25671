import LabSchedule

/// Which lane serves what: sessions first, then the main queue, coordinators, and the queues that
/// the body and each session make.
///
/// A lane is found by who makes a queue and how many it has made, so that it has one number in
/// every schedule, whichever session comes first.
struct CodeLaneTable: Sendable {
    let sessions: [String]
    /// How many queues of one maker have a lane of their own; further ones share the last.
    private let share: Int

    /// The most sessions: with the lanes of their queues they fit into a path.
    static let sessionsMax = 12

    /// - Parameter shareMax: the most lanes for what one maker makes.
    init(sessions: [String], shareMax: Int = 6) {
        self.sessions = sessions
        share = min(shareMax, (SchedulePlan.laneMax - sessions.count - 2) / (sessions.count + 1))
    }

    var mainLane: Int { sessions.count }
    var coordinatorLane: Int { sessions.count + 1 }

    /// - Parameter maker: the lane that has made the queue; nil for the body.
    func lane(madeBy maker: Int?, number: Int) -> Int {
        let first = sessions.count + 2
        // What serves queues may make queues, too: they go to the body's.
        let place = maker.flatMap { $0 < sessions.count ? $0 + 1 : nil } ?? 0
        return first + place * share + min(number, share) - 1
    }

    var names: [String] {
        let makers = ["body"] + sessions
        return sessions + ["~main", "~coordinators"]
            + makers.flatMap { maker in (1...share).map { "~\(maker)/\($0)" } }
    }

    /// Lanes of which nothing is known before they run.
    var plan: SchedulePlan {
        var plan = SchedulePlan(
            lanes: [], mailboxes: names.map { SchedulePlan.Mailbox(name: $0, causes: []) })
        plan.isOpen = true
        return plan
    }
}
