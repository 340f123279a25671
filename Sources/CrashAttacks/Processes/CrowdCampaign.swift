import Glibc
import LabBench
import TortureCampaigns

/// Starts eight processes in each round. The processes create, migrate or write the same store at
/// the same time.
struct CrowdCampaign: TorturePart {
    static let members = 8

    let name = "processes"
    let workshop: CrashWorkshop
    var plant: PlantedFault?
    var tasks: [CrowdRole.Task] = [.create, .migrate, .map, .write]

    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice {
        // The processes of one round keep the machine busy, so only one round runs at a time.
        try ParallelAttempts(jobs: 1).run(attempts, progress: progress) { number, slice in
            let task = tasks[number % tasks.count]
            let attempt = CrashAttempt(number, seed, [CrowdRole.kind(task)])
            try one(number, task, attempt, &slice)
        }
    }

    private func one(
        _ number: Int, _ task: CrowdRole.Task, _ attempt: CrashAttempt,
        _ slice: inout TortureSlice
    ) throws {
        let folder = try workshop.makeFolder(name)
        defer { workshop.discard(folder) }
        let stores = try workshop.makeStores(attempt.kind, attempt.journal, in: folder)
        var request = attempt.request(in: stores, plant: plant)
        request.work = .crowd
        let label = "\(Self.members) processes \(task.rawValue), \(attempt.journal.rawValue)"
        let outcomes = try Crowd(workshop, request, task, folder).run(Self.members)
        slice.count("rounds of \(task.rawValue)")
        var check = CrowdRole(task: .check, member: 0)
        for (member, outcome) in outcomes.enumerated() {
            let finding = Self.judge(outcome, &check, &slice)
            if let finding { slice.fail(number, "\(label): process \(member) \(finding)") }
        }
        slice.count("acknowledged saves", check.added.count)
        slice.count("acknowledged saves", Int(check.counted.values.reduce(0, +)))
        request.crowd = check
        let outcome = try workshop.run(request, .nothing, in: folder)
        let verdict = CrashWorkshop.Verdict.all(outcome.output).first
        if let finding = verdict.map(\.finding) ?? outcome.shown {
            slice.fail(number, "\(label): \(finding)")
        }
    }

    /// Records the acknowledged steps of a process. If the process did not end as expected, returns
    /// the problem.
    private static func judge(
        _ outcome: CrashWorkshop.Outcome, _ check: inout CrowdRole, _ slice: inout TortureSlice
    ) -> String? {
        for line in outcome.output.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 1, let serial = Int64(words[1]) else { continue }
            if words[0] == "added" { check.added.append(serial) }
            if words[0] == "counted" { check.counted[serial, default: 0] += 1 }
        }
        guard outcome.ending == .exited(0) else { return outcome.shown }
        let story = outcome.story
        guard let failure = story.failures.first else {
            return story.isFinished ? nil : "did not finish"
        }
        // After its time-out, SQLite's busy error (5) is correct if the message names the lock.
        if failure.sqlite & 0xFF == 5, failure.text.contains("lock") {
            slice.count("time-outs whose message names the lock")
            return nil
        }
        return "failed with \(failure.code) \(failure.sqlite): \(failure.text)"
    }
}

/// Several processes that start their work at the same moment.
private struct Crowd {
    private let workshop: CrashWorkshop
    private let request: VictimRequest
    private let task: CrowdRole.Task
    private let folder: String

    init(
        _ workshop: CrashWorkshop, _ request: VictimRequest, _ task: CrowdRole.Task,
        _ folder: String
    ) {
        self.workshop = workshop
        self.request = request
        self.task = task
        self.folder = folder
    }

    func run(_ count: Int) throws -> [CrashWorkshop.Outcome] {
        let gate = try FilePipe()
        let readiness = try FilePipe()
        var children: [ChildProcess] = []
        // Every started process must be released and waited for, even after an error.
        defer { for child in children { _ = child.wait() } }
        defer { gate.closeAll() }
        for member in 0..<count {
            var plan = try plan(member)
            plan.input = gate.reading
            plan.readiness = readiness.writing
            children.append(try ChildProcess(plan))
        }
        readiness.closeWriting()
        readiness.wait(bytes: count)
        gate.closeAll()
        readiness.closeAll()
        let endings = children.map { $0.wait() }
        children = []
        return try endings.enumerated().map { member, ending in
            try workshop.outcome(path(member), ending)
        }
    }

    private func path(_ member: Int) -> String { folder + "/member-\(member)" }

    private func plan(_ member: Int) throws -> ChildProcess.Plan {
        var own = request
        own.crowd = CrowdRole(task: task, member: member)
        return try workshop.plan(own, .nothing, path(member))
    }
}

/// A pipe that a child process inherits only if it is passed to that child.
private final class FilePipe {
    private var ends: [Int32] = [-1, -1]

    init() throws {
        guard pipe(&ends) == 0 else {
            throw InputFailure("a pipe cannot be created: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit { closeAll() }

    var reading: Int32 { ends[0] }
    var writing: Int32 { ends[1] }

    func closeWriting() { close(1) }

    func closeAll() {
        close(0)
        close(1)
    }

    private func close(_ end: Int) {
        guard ends[end] >= 0 else { return }
        Glibc.close(ends[end])
        ends[end] = -1
    }

    /// Waits until this number of bytes was written, or until every process has closed the pipe for
    /// writing.
    func wait(bytes: Int) {
        var byte: UInt8 = 0
        for _ in 0..<bytes {
            guard read(reading, &byte, 1) == 1 else { return }
        }
    }
}
