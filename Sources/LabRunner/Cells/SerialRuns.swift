import ContextHistory
import CoreDataEngine
import CoreDataStore
import LabScenario
import LabSchedule

/// Runs one session after another, in every order of sessions. Notifications are delivered
/// immediately.
struct SerialRuns {
    let world: CellWorld
    /// The maximum number of orders: seven sessions have 5,040.
    private static let orderMax = 5_040

    func outcomes() throws(CoreDataError) -> Set<Outcome> {
        var found: Set<Outcome> = []
        let sessions = Array(world.lab.plan.scenario.sessions.indices)
        for order in Self.permutations(sessions).prefix(Self.orderMax) {
            try world.reset()
            for session in order { try runToEnd(session) }
            try world.finish()
            found.insert(world.outcome)
        }
        return found
    }

    private func runToEnd(_ session: Int) throws(CoreDataError) {
        while world.nextName(lane: session) != nil {
            try world.run(lane: session)
            try deliver()
        }
    }

    private func deliver() throws(CoreDataError) {
        let first = world.lab.plan.scenario.sessions.count
        while let mailbox = world.lab.plan.mailboxes.indices.first(where: {
            world.waiting(inMailbox: $0) > 0
        }) {
            try world.run(lane: first + mailbox)
        }
    }

    private static func permutations(_ items: [Int]) -> [[Int]] {
        guard items.count > 1 else { return [items] }
        if items.count > 7 { return [items, items.reversed()] }
        return items.flatMap { item in
            permutations(items.filter { $0 != item }).map { [item] + $0 }
        }
    }
}
