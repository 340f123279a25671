import LabSchedule

/// A simulated program on numbered cells. Steps read, write and add to cells. Some post to a
/// mailbox, whose deliveries access cells as well. The values that a session reads depend only on
/// the order of conflicting steps.
final class CellWorld: ScheduleWorld {
    struct Broken: Error {}

    enum Operation {
        case read(Int), write(Int), add(Int), post
        /// Writes the second cell if the first one is not zero.
        case copyIfSet(Int, Int)
    }

    let plan: SchedulePlan
    let program: [[Operation]]
    let delivery: Operation
    private var cells: [Int] = []
    private var seen: [[Int]] = []
    private var positions: [Int] = []
    private var posted = 0
    var recordsFootprints = false
    private(set) var footprint = Footprint()
    /// All values that were read, and the final values of the cells.
    private(set) var outcome: [[Int]] = []

    /// - Parameter required: the lane and position of a step, and the number of the delivery that
    ///   it requires.
    init(
        program: [[Operation]], delivery: Operation, orders: [SchedulePlan.Order] = [],
        required: (lane: Int, position: Int, number: Int)? = nil
    ) {
        self.program = program
        self.delivery = delivery
        let lanes = program.enumerated().map { lane, steps in
            SchedulePlan.Lane(name: "\(lane)", steps: steps.indices.map { "\(lane)-\($0)" })
        }
        var causes: [(lane: Int, position: Int)] = []
        for (lane, steps) in program.enumerated() {
            for (position, step) in steps.enumerated() {
                if case .post = step { causes.append((lane, position)) }
            }
        }
        let deliveryOrders = required.map { step in
            SchedulePlan.DeliveryOrder(
                lane: step.lane, position: step.position, delivery: Self.name(step.number),
                number: step.number, source: (0, causes))
        }
        plan = SchedulePlan(
            lanes: lanes, orders: orders, deliveryOrders: deliveryOrders.map { [$0] } ?? [],
            mailboxes: [.init(name: "m", causes: causes)])
    }

    func reset() throws(Broken) {
        cells = Array(repeating: 0, count: 4)
        seen = Array(repeating: [], count: program.count + 1)
        positions = Array(repeating: 0, count: program.count + 1)
        posted = 0
    }

    func run(lane: Int) throws(Broken) {
        footprint = Footprint()
        let position = positions[lane]
        positions[lane] += 1
        if lane < program.count {
            perform(program[lane][position], lane, position)
        } else {
            footprint.add(200 + UInt64(position), .require)
            footprint.add(300 + UInt64(position) + 1, .provide)
            perform(delivery, lane, position)
        }
        for order in plan.deliveryOrders where order.lane == lane && order.position == position {
            footprint.add(300 + UInt64(order.number), .require)
        }
    }

    private static func name(_ number: Int) -> String { "~m#\(number)" }

    private func perform(_ operation: Operation, _ lane: Int, _ position: Int) {
        let tag = lane * 100 + position + 1
        switch operation {
        case .read(let cell):
            footprint.add(UInt64(cell), .read)
            seen[lane].append(cells[cell])
        case .write(let cell):
            footprint.add(UInt64(cell), .write)
            cells[cell] = cells[cell] * 7 + tag
        case .add(let cell):
            footprint.add(UInt64(cell), .add)
            cells[cell] += tag
        case .copyIfSet(let from, let to):
            footprint.add(UInt64(from), .read)
            if cells[from] != 0 {
                footprint.add(UInt64(to), .write)
                cells[to] = cells[from] * 3 + tag
            }
        case .post:
            footprint.add(100, .write)
            footprint.add(200 + UInt64(posted), .provide)
            posted += 1
        }
    }

    func waiting(inMailbox mailbox: Int) -> Int { posted - positions[program.count] }

    func nextName(lane: Int) -> String? {
        lane < program.count || waiting(inMailbox: 0) == 0 ? nil : Self.name(positions[lane] + 1)
    }

    func finish() throws(Broken) { outcome = seen + [cells] }
}
