import Foundation
import Glibc
import Synchronization

/// A pool of worker processes, one for each processor.
///
/// All parts of a campaign share the pool. One part runs at a time.
package final class FuzzPool: Sendable {
    /// The limits of an input.
    package struct Limits: Sendable {
        /// The maximum CPU time of an input. Its maximum elapsed time is ten times as long.
        package var seconds = 10.0
        package var residentBytes = 1 << 30

        package init() {}
    }

    let tool: String
    package let limits: Limits
    let size: Int
    private let idle = Mutex<[FuzzProcess]>([])
    private let folder: String
    private let started = Atomic(0)

    /// - Parameter tool: the program that runs as a worker. Workers are started when they are
    ///   needed.
    package init(
        tool: String, limits: Limits = Limits(),
        size: Int = ProcessInfo.processInfo.activeProcessorCount
    ) {
        self.tool = tool
        self.limits = limits
        self.size = max(1, size)
        folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-fuzz-\(UUID().uuidString)").path
    }

    deinit {
        for worker in idle.withLock({ $0 }) { worker.finish() }
        if started.load(ordering: .relaxed) > 0 {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    package func run(
        _ target: String, _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void = { _ in }
    ) throws(FuzzFailure) -> FuzzTally {
        var run = FuzzRun(pool: self, target: target, attempts, seed: seed)
        return try run.finish(progress)
    }

    /// Runs one input, and returns its fault; nil if it has no fault.
    func fault(of input: [UInt8], _ target: String) throws(FuzzFailure) -> FuzzFault? {
        let worker = try take()
        let path = worker.pagePath + ".input"
        give(back: worker)
        guard FileManager.default.createFile(atPath: path, contents: Data(input)) else {
            throw FuzzFailure("\(path) cannot be written")
        }
        defer { unlink(path) }
        var run = FuzzRun(pool: self, target: target, 0..<1, seed: 0, input: path)
        return try run.finish({ _ in }).faults.first
    }

    // MARK: Workers

    func take() throws(FuzzFailure) -> FuzzProcess {
        if let known = idle.withLock({ $0.popLast() }) { return known }
        let number = started.add(1, ordering: .relaxed).newValue
        if number == 1 {
            // Writing to a worker that has ended then fails without a signal. Reading its reply
            // reports the end.
            signal(SIGPIPE, SIG_IGN)
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true)
            } catch { throw FuzzFailure("\(folder) cannot be created: \(error)") }
        }
        return try FuzzProcess(tool: tool, page: "\(folder)/worker-\(number)")
    }

    func give(back worker: FuzzProcess) { idle.withLock { $0.append(worker) } }
}

/// The result of a range of attempts.
package struct FuzzTally: Sendable {
    package var accepted = 0
    package var refused = 0
    /// The number of workers that were replaced because they used too much memory.
    package var tired = 0
    /// The number of workers that ended between two inputs. An earlier input may have damaged their
    /// memory.
    package var endedIdle = 0
    package var faults: [FuzzFault] = []
}

/// An input that caused a fault.
package struct FuzzFault: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case crash, hang, memory, broken
    }

    package let attempt: Int
    package let kind: Kind
    package let what: String

    /// The description without its numbers. Faults with the same signature probably have the same
    /// cause.
    var signature: String {
        kind.rawValue + String(what.filter { !$0.isNumber }.prefix(60))
    }
}
