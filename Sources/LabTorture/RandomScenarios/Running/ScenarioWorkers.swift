import Foundation
import Synchronization

/// Runs attempts in several worker processes. If a process crashes or hangs, finds the attempt that
/// caused this.
struct ScenarioWorkers {
    /// Runs a job in a worker process, or in this process.
    typealias Launch = @Sendable (ScenarioJob, (WorkerLine) -> Void) throws -> WorkerEnd

    static let attemptsOfJob = 200
    /// The maximum number of crashes in a range whose scenarios are shrunk. Each trial starts a
    /// process, which is slow.
    private static let shrunkCrashes = 2

    let seed: UInt64
    let effort: ScenarioJudge.Effort
    let count: Int
    let launch: Launch

    /// The state that all workers share: the finished attempts, and the next attempt to run.
    private final class Board: Sendable {
        private let state = Mutex(State())
        private let changes = DispatchSemaphore(value: 0)

        private struct State {
            var reports: [AttemptReport] = []
            var next = 0
            var working = 0
            var error: (any Error)?
            var shrunk = 0
        }

        func begin(_ workers: Int, first: Int) {
            state.withLock {
                $0.working = workers
                $0.next = first
            }
        }

        /// The next range of attempts; nil if none is left or an error has occurred.
        func take(below last: Int) -> Range<Int>? {
            state.withLock { state in
                guard state.next < last, state.error == nil else { return nil }
                let first = state.next
                // Ranges end at multiples of their size, so no two jobs create the same model.
                let size = ScenarioWorkers.attemptsOfJob
                state.next = min(last, (first / size + 1) * size)
                return first..<state.next
            }
        }

        func mayShrink() -> Bool {
            state.withLock { state in
                state.shrunk += 1
                return state.shrunk <= ScenarioWorkers.shrunkCrashes
            }
        }

        func add(_ report: AttemptReport) {
            state.withLock { $0.reports.append(report) }
            changes.signal()
        }

        func leave(_ error: (any Error)?) {
            state.withLock { state in
                state.working -= 1
                state.error = state.error ?? error
            }
            changes.signal()
        }

        /// Waits for the next change. Returns the number of finished attempts, and whether all
        /// workers have ended.
        func wait() -> (done: Int, isOver: Bool) {
            changes.wait()
            return state.withLock { ($0.reports.count, $0.working == 0) }
        }

        func reports() throws -> [AttemptReport] {
            try state.withLock { state in
                if let error = state.error { throw error }
                return state.reports.sorted { $0.attempt < $1.attempt }
            }
        }
    }

    /// - Returns: a report for each attempt, in order.
    func run(_ attempts: Range<Int>, progress: (Int) -> Void) throws -> [AttemptReport] {
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let board = Board()
        board.begin(count, first: attempts.lowerBound)
        for worker in 0..<count {
            Thread {
                do {
                    let path = "\(folder)/\(worker)"
                    try FileManager.default.createDirectory(
                        atPath: path, withIntermediateDirectories: true)
                    while let range = board.take(below: attempts.upperBound) {
                        try work(range, path, board)
                    }
                    board.leave(nil)
                } catch {
                    board.leave(error)
                }
            }.start()
        }
        while true {
            let (done, isOver) = board.wait()
            progress(done)
            if isOver { return try board.reports() }
        }
    }

    /// The folder is in memory if possible, because the files are temporary.
    static func makeFolder() throws -> String {
        let shared = "/dev/shm"
        let parent =
            FileManager.default.isWritableFile(atPath: shared)
            ? shared : NSTemporaryDirectory()
        let path = "\(parent)/faultline-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Runs a range. If an attempt ends the worker process, continues with the next attempt in a
    /// new process.
    private func work(_ range: Range<Int>, _ folder: String, _ board: Board) throws {
        var next = range.lowerBound
        while next < range.upperBound {
            let job = ScenarioJob(
                seed: seed, first: next, last: range.upperBound, folder: folder, effort: effort)
            var current: Int?
            var known: AttemptReport?
            let end = try launch(job) { line in
                switch line {
                case .begins(let attempt):
                    current = attempt
                    known = nil
                case .lives: break
                case .shrinks(let report): known = report
                case .ends(let report):
                    current = nil
                    board.add(report)
                    next = report.attempt + 1
                }
            }
            guard end != .done else { return }
            let attempt = current ?? next
            board.add(try blame(attempt, end, known, folder, board))
            next = attempt + 1
        }
    }

    /// The report on an attempt that ended its worker process.
    private func blame(
        _ attempt: Int, _ end: WorkerEnd, _ known: AttemptReport?, _ folder: String, _ board: Board
    ) throws -> AttemptReport {
        var report = known ?? AttemptReport(attempt: attempt)
        let generator = try ScenarioGenerator(
            modelNumber: ScenarioGenerator.modelNumber(of: attempt), seed: seed)
        let draft = generator.draft(attempt, seed: seed, mode: effort.mode)
        guard let complaint = Self.complaint(end) else { return report }
        var failure = AttemptReport.Failure(complaint: complaint, draft: draft)
        if complaint.oracle == .crash, board.mayShrink() {
            var shrinker = DraftShrinker(draft, most: 150) { draft in
                Self.complaint(judge(draft, folder))?.oracle == .crash
            }
            // If the scenario does not crash again, the crash depends on earlier attempts. Its
            // draft is then reported unchanged.
            if Self.complaint(judge(draft, folder))?.oracle == .crash {
                shrinker.run()
                failure.draft = shrinker.best
                failure.isSmall = true
            }
        }
        report.failures.append(failure)
        return report
    }

    private func judge(_ draft: ScenarioDraft, _ folder: String) -> WorkerEnd {
        let job = ScenarioJob(
            seed: seed, first: 0, last: 0, folder: folder, effort: effort, draft: draft)
        return (try? launch(job) { _ in }) ?? .done
    }

    static func complaint(_ end: WorkerEnd) -> Complaint? {
        switch end {
        case .done: nil
        case .hung: Complaint(.hang, "the scenario did not end")
        case .crashed(let how, let said):
            Complaint(.crash, "\(how)\(said.isEmpty ? "" : ": \(said)")")
        }
    }
}
