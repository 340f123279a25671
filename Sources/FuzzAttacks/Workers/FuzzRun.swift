import Foundation
import Glibc

/// Runs attempts: sends ranges of them to workers, and monitors the workers. If an input ends a
/// worker, another worker continues after this input.
struct FuzzRun {
    /// A worker, the range that it runs, and its last known state.
    private struct Job {
        let worker: FuzzProcess
        let range: Range<Int>
        var attempt = -1
        var processorSeconds = 0.0
        var since = ContinuousClock.now
        var ending: FuzzFault.Kind?
    }

    private let pool: FuzzPool
    private let target: String
    private let seed: UInt64
    private let input: String?
    private let total: Int
    private var pending: [Range<Int>]
    private var jobs: [Job] = []
    private var tally = FuzzTally()
    private var done = 0
    private static let endedIdleMax = 3

    init(
        pool: FuzzPool, target: String, _ attempts: Range<Int>, seed: UInt64, input: String? = nil
    ) {
        self.pool = pool
        self.target = target
        self.seed = seed
        self.input = input
        total = attempts.count
        // There are several ranges for each worker, so that a slow input does not delay the other
        // workers.
        let size = max(1, attempts.count / (pool.size * 4))
        pending = stride(from: attempts.lowerBound, to: attempts.upperBound, by: size)
            .map { $0..<min(attempts.upperBound, $0 + size) }.reversed()
    }

    mutating func finish(_ progress: (Int) -> Void) throws(FuzzFailure) -> FuzzTally {
        do throws(FuzzFailure) {
            while !pending.isEmpty || !jobs.isEmpty {
                try assign()
                try attend(progress)
            }
        } catch {
            for job in jobs {
                job.worker.kill()
                job.worker.finish()
            }
            throw error
        }
        return tally
    }

    private mutating func assign() throws(FuzzFailure) {
        while jobs.count < pool.size, let range = pending.popLast() {
            let worker = try pool.take()
            worker.send(FuzzRequest(target, seed: seed, range, input: input))
            // The CPU time that the worker used for earlier ranges does not count.
            jobs.append(
                Job(
                    worker: worker, range: range,
                    processorSeconds: ProcessFacts.processorSeconds(of: worker.id)))
        }
    }

    /// Waits for replies for at most 50 milliseconds. Checks the workers that have not replied.
    private mutating func attend(_ progress: (Int) -> Void) throws(FuzzFailure) {
        var polls = jobs.map { pollfd(fd: $0.worker.replies, events: Int16(POLLIN), revents: 0) }
        _ = poll(&polls, nfds_t(polls.count), 50)
        for place in polls.indices.reversed() {
            if polls[place].revents == 0 {
                watch(&jobs[place])
            } else {
                let job = jobs.remove(at: place)
                try conclude(job)
                progress(min(total, done))
            }
        }
    }

    // MARK: Watching

    private func watch(_ job: inout Job) {
        let attempt = job.worker.page.attempt
        let seconds = ProcessFacts.processorSeconds(of: job.worker.id)
        if attempt != job.attempt {
            (job.attempt, job.processorSeconds, job.since) = (attempt, seconds, .now)
        }
        let used = seconds - job.processorSeconds
        let waited = ContinuousClock.now - job.since
        if ProcessFacts.residentBytes(of: job.worker.id) > pool.limits.residentBytes {
            job.ending = .memory
        } else if used > pool.limits.seconds || waited > .seconds(pool.limits.seconds * 10) {
            job.ending = .hang
        }
        if job.ending != nil { job.worker.kill() }
    }

    // MARK: The end of a range

    private mutating func conclude(_ job: Job) throws(FuzzFailure) {
        var byte: UInt8 = 0
        let count = read(job.worker.replies, &byte, 1)
        let reply = count == 1 ? FuzzWorker.Reply(rawValue: byte) : nil
        let page = job.worker.page
        let attempt = page.attempt
        tally.accepted += page.accepted
        tally.refused += page.refused
        for finding in FindingsFile.take(besides: job.worker.pagePath) {
            tally.faults.append(
                FuzzFault(attempt: finding.attempt, kind: .broken, what: finding.what))
        }
        switch reply {
        case .done:
            done += job.range.count
            pool.give(back: job.worker)
        case .tired:
            tally.tired += 1
            goOn(at: attempt, job)
            job.worker.finish()
        case nil:
            let end = job.worker.finish()
            guard job.range.contains(attempt) else {
                tally.endedIdle += 1
                pending.append(job.range)
                guard tally.endedIdle > Self.endedIdleMax else { return }
                throw FuzzFailure(
                    "a worker for \(target) ended before its first input: "
                        + "\(end.cause) \(job.worker.complaint ?? "")")
            }
            tally.faults.append(fault(job, end, attempt))
            goOn(at: attempt + 1, job)
        }
    }

    private mutating func goOn(at attempt: Int, _ job: Job) {
        done += attempt - job.range.lowerBound
        if attempt < job.range.upperBound { pending.append(attempt..<job.range.upperBound) }
    }

    private func fault(_ job: Job, _ end: FuzzProcess.End, _ attempt: Int) -> FuzzFault {
        // The worker may have exceeded the limit after the last check, and ended for this reason.
        let isTooLarge = end.peakBytes > pool.limits.residentBytes
        switch isTooLarge ? .memory : job.ending {
        case .hang:
            return FuzzFault(
                attempt: attempt, kind: .hang,
                what:
                    "took more than \(Int(pool.limits.seconds)) s of processor time, or ten "
                    + "times that long in real time")
        case .memory:
            return FuzzFault(
                attempt: attempt, kind: .memory,
                what: "needed more than \(pool.limits.residentBytes >> 20) MiB of memory")
        default:
            let how =
                switch end.cause {
                case .signal(let number): "ended the process by signal \(number)"
                case .status(let status): "ended the process with status \(status)"
                }
            return FuzzFault(
                attempt: attempt, kind: .crash,
                what: how + (job.worker.complaint.map { ": \($0)" } ?? ""))
        }
    }
}
