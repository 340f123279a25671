/// The steps to interleave: lanes of steps, and orders between steps of different lanes.
///
/// A lane is a session or a mailbox. A session has named steps. In a mailbox, merges and blocks
/// wait for a context, and its entries appear while the schedule runs.
package struct SchedulePlan: Sendable {
    package struct Lane: Sendable {
        package let name: String
        package let steps: [String]

        package init(name: String, steps: [String]) {
            self.name = name
            self.steps = steps
        }
    }

    /// A step that may run only after another step. Positions count from 0.
    package struct Order: Sendable {
        package let lane: Int
        package let position: Int
        package let requiredLane: Int
        package let requiredPosition: Int

        package init(lane: Int, position: Int, requiredLane: Int, requiredPosition: Int) {
            self.lane = lane
            self.position = position
            self.requiredLane = requiredLane
            self.requiredPosition = requiredPosition
        }
    }

    /// A step that may run only after a mailbox entry with a given name.
    package struct DeliveryOrder: Sendable {
        package let lane: Int
        package let position: Int
        package let delivery: String
        /// The number of entries with the name that must have run before the step.
        package let number: Int
        /// The mailbox of the entry, and the steps that enqueue an entry with its name. Nil if
        /// other code may also enqueue such an entry; the number of schedules then cannot be
        /// predicted.
        package let source: (mailbox: Int, causes: [(lane: Int, position: Int)])?

        package init(
            lane: Int, position: Int, delivery: String, number: Int = 1,
            source: (mailbox: Int, causes: [(lane: Int, position: Int)])? = nil
        ) {
            self.lane = lane
            self.position = position
            self.delivery = delivery
            self.number = number
            self.source = source
        }
    }

    /// The entries that a mailbox gets if every save succeeds: one for each of these steps, in
    /// their order. Used only for predictions.
    package struct Mailbox: Sendable {
        package let name: String
        package let causes: [(lane: Int, position: Int)]

        package init(name: String, causes: [(lane: Int, position: Int)]) {
            self.name = name
            self.causes = causes
        }
    }

    package let lanes: [Lane]
    package let orders: [Order]
    package let deliveryOrders: [DeliveryOrder]
    package let mailboxes: [Mailbox]
    /// Whether the number of steps is unknown until they have run, so that no prediction is
    /// possible.
    package var isOpen = false

    /// The maximum number of sessions and mailboxes. The possible choices are bits of one integer.
    package static let laneMax = 64

    package init(
        lanes: [Lane], orders: [Order] = [], deliveryOrders: [DeliveryOrder] = [],
        mailboxes: [Mailbox] = []
    ) {
        self.lanes = lanes
        self.orders = orders
        self.deliveryOrders = deliveryOrders
        self.mailboxes = mailboxes
    }

    /// The number of sessions and mailboxes. A schedule is a list of lane numbers below this
    /// number.
    package var laneCount: Int { lanes.count + mailboxes.count }

    package func mayStart(_ lane: Int, positions: [Int], delivered: Set<String>) -> Bool {
        mayRun(lane, positions: positions) { delivered.contains($0.delivery) }
    }

    /// Whether the next step of a session may run after the steps so far.
    func mayRun(
        _ lane: Int, positions: borrowing [Int], hasRun: (DeliveryOrder) -> Bool
    ) -> Bool {
        let position = positions[lane]
        guard position < lanes[lane].steps.count else { return false }
        for order in orders where order.lane == lane && order.position == position {
            if positions[order.requiredLane] <= order.requiredPosition { return false }
        }
        for order in deliveryOrders where order.lane == lane && order.position == position {
            if !hasRun(order) { return false }
        }
        return true
    }

    /// Steps that can never run because required orders form a cycle.
    package var stuckSteps: [String] {
        var positions = Array(repeating: 0, count: laneCount)
        func mayHaveRun(_ order: DeliveryOrder) -> Bool {
            guard let causes = order.source?.causes else { return true }
            return causes.count { positions[$0.lane] > $0.position } >= order.number
        }
        while let lane = lanes.indices.first(where: {
            mayRun($0, positions: positions, hasRun: mayHaveRun)
        }) {
            positions[lane] += 1
        }
        return lanes.indices.flatMap { lanes[$0].steps.dropFirst(positions[$0]) }
    }
}
