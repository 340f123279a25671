/// What can be interleaved: lanes of steps, and orders between steps of different lanes.
///
/// A session is a lane with named steps. A mailbox, where deliveries and blocks wait for a
/// context, is a lane too, but what it holds appears while the schedule runs. The runner makes a
/// plan; explorers only ever see lanes.
package struct SchedulePlan: Sendable {
    /// A session's steps, in their order.
    package struct Lane: Sendable {
        package let name: String
        package let steps: [String]

        package init(name: String, steps: [String]) {
            self.name = name
            self.steps = steps
        }
    }

    /// A step that may run only when another one has run. Positions count from 0.
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

    /// A step that may run only when something that waited in a mailbox has run, by its name.
    package struct DeliveryOrder: Sendable {
        package let lane: Int
        package let position: Int
        package let delivery: String
        /// How many of that name must have run.
        package let number: Int
        /// Where it waits, and the steps that put one of that name there; nil where other things
        /// may do so, so that nothing can be told before it runs.
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

    /// What a mailbox is expected to hold if every save succeeds: one entry for each of these
    /// steps, in the order in which they run. Only the prediction uses this.
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
    /// How much a lane does is known only when it has done it, so nothing can be predicted.
    package var isOpen = false

    /// More sessions and mailboxes than this do not fit into one word of choices.
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

    /// Sessions and mailboxes together; a schedule is a list of numbers below this one.
    package var laneCount: Int { lanes.count + mailboxes.count }

    /// Whether the orders let a session go on, by how far each session is and which deliveries
    /// have run.
    package func mayStart(_ lane: Int, positions: [Int], delivered: Set<String>) -> Bool {
        mayRun(lane, positions: positions) { delivered.contains($0.delivery) }
    }

    /// Whether the next step of a session may run, by what has run so far.
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

    /// Steps that can never run, because orders wait for each other.
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
