import LabSchedule

/// A simulated program of threads that acquire locks. A thread that waits for a lock cannot be
/// chosen until the lock is free. Threads that wait for each other never end.
final class LockWorld: ScheduleWorld {
    struct Broken: Error {}

    enum Operation {
        case take(Int), give(Int), read(Int), write(Int)
    }

    let plan: SchedulePlan
    let program: [[Operation]]
    private var cells: [Int] = []
    private var seen: [[Int]] = []
    private var positions: [Int] = []
    private var holders: [Int?] = []
    private var releases: [Int] = []
    private var waits: [Int?] = []
    var recordsFootprints = false
    private(set) var footprint = Footprint()
    /// The values that were read, the final values of the cells, and the position of each thread.
    private(set) var outcome: [[Int]] = []

    /// Whether footprints lack reads, which is a planted mistake that the checks must find.
    private let forgetsReads: Bool

    init(program: [[Operation]], forgetsReads: Bool = false) {
        self.program = program
        self.forgetsReads = forgetsReads
        var plan = SchedulePlan(
            lanes: [], mailboxes: program.indices.map { .init(name: "\($0)", causes: []) })
        plan.isOpen = true
        self.plan = plan
    }

    func reset() throws(Broken) {
        cells = [0, 0]
        seen = program.map { _ in [] }
        positions = program.map { _ in 0 }
        waits = program.map { _ in nil }
        holders = [nil, nil, nil]
        releases = [0, 0, 0]
    }

    func run(lane: Int) throws(Broken) {
        footprint = Footprint()
        switch program[lane][positions[lane]] {
        case .take(let lock):
            footprint.add(100 + UInt64(lock), .write)
            if waits[lane] != nil { footprint.add(handOver(lock), .require) }
            guard holders[lock] == nil else {
                waits[lane] = lock
                return
            }
            waits[lane] = nil
            holders[lock] = lane
        case .give(let lock):
            footprint.add(100 + UInt64(lock), .write)
            holders[lock] = nil
            releases[lock] += 1
            footprint.add(handOver(lock), .provide)
        case .read(let cell):
            if !forgetsReads { footprint.add(UInt64(cell), .read) }
            seen[lane].append(cells[cell])
        case .write(let cell):
            footprint.add(UInt64(cell), .write)
            cells[cell] = cells[cell] * 7 + lane * 10 + positions[lane] + 1
        }
        positions[lane] += 1
    }

    private func handOver(_ lock: Int) -> UInt64 { 1_000 + UInt64(lock * 100 + releases[lock]) }

    func waiting(inMailbox mailbox: Int) -> Int {
        guard positions[mailbox] < program[mailbox].count else { return 0 }
        guard let lock = waits[mailbox] else { return 1 }
        return holders[lock] == nil ? 1 : 0
    }

    func nextName(lane: Int) -> String? { nil }

    func finish() throws(Broken) { outcome = seen + [cells, positions] }
}
