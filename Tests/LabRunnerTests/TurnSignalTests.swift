import CRuntimeShims
import CoreData
import Foundation
import Synchronization
import Testing

@testable import LabRunner

/// Tests of the core on which a thread runs after it has received a turn.
@Suite(.enabled(if: Cores.own.all.count > 1, "needs two cores"))
struct TurnSignalTests {
    /// Runs a thread that waits for signals, and signals it from one core after the other.
    ///
    /// - Parameter inTurn: runs on the thread in each turn.
    /// - Returns: the core of the thread after each wait and at the end.
    private func waited(_ inTurn: @escaping @Sendable () -> Void = {}) -> [(
        core: Int, cores: Cores
    )] {
        _ = faultline_may_change_core()
        let (turn, back) = (TurnSignal(), TurnSignal())
        let (cores, seen) = (Cores.own.all, Looks())
        Thread {
            for _ in cores {
                turn.wait()
                seen.look()
                inTurn()
                back.signal()
            }
            turn.letGo()
            seen.look()
            back.signal()
        }.start()
        for core in cores {
            faultline_keep_thread(faultline_thread_number(), Int32(core))
            turn.signal()
            back.wait()
        }
        back.wait()
        back.letGo()
        return seen.all
    }

    @Test func `a thread is woken on the core of the signalling thread`() {
        let all = Cores.own
        let seen = waited()
        // Only a thread that already waits is moved, so the first signal may not move it.
        let moved = seen.dropFirst().dropLast()
        #expect(moved.map(\.core) == Array(all.all.dropFirst()))
        #expect(moved.allSatisfy { $0.cores.all == [$0.core] })
        #expect(seen.last?.cores == all)
        #expect(Cores.own == all)
    }

    @Test func `threads and processes that a pinned thread starts may use every core`() {
        let all = Cores.own
        let seen = Mutex<[String: Set<[Int]>]>([:])
        @Sendable func note(_ what: String, _ cores: Cores) {
            seen.withLock { _ = $0[what, default: []].insert(cores.all) }
        }
        // Each of these calls removes the pin of the thread to a core, so each one needs a separate
        // thread.
        let kept = [
            waited { note("told", .told) }, waited { note("thread", .ofNewThread) },
            waited { note("process", .ofNewProcess) },
        ]
        #expect(kept.allSatisfy { $0.contains { $0.cores.all.count == 1 } })
        let expected = ["told", "thread", "process"].map { ($0, Set([all.all])) }
        #expect(seen.withLock { $0 } == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test func `neither code nor the threads that it starts are pinned to a core`() throws {
        let before = Cores.ofNewThread
        let seen = Mutex<[String: Set<[Int]>]>([:])
        func look(_ place: String) {
            let found: Set = [Cores.told.all, Cores.ofNewThread.all]
            seen.withLock { $0[place, default: []].formUnion(found) }
        }
        var options = Lab.Options(strategy: .random, limit: 20, timeBudget: .seconds(900))
        options.fails = .nothing
        let report = try Lab.explore("cores", options) { lab in
            look("body")
            let stack = try lab.stack(model: Shelf.model)
            for name in ["one", "two"] {
                let context = stack.newBackgroundContext()
                lab.session(name) {
                    try context.performAndWait {
                        _ = NSEntityDescription.insertNewObject(
                            forEntityName: "Shelf", into: context)
                        try context.save()
                        look(name)
                    }
                }
            }
            lab.finally { look("finally") }
        }
        #expect(report.schedules == 20)
        #expect(Cores.own == before)
        #expect(
            seen.withLock { $0 }
                == Dictionary(
                    uniqueKeysWithValues: ["body", "one", "two", "finally"].map {
                        ($0, [before.all])
                    }))
    }
}

private struct Cores: Equatable, Sendable {
    let all: [Int]

    /// The cores of the calling thread, read from the system's status file, for example `0-3,6`.
    static var own: Cores {
        let status = try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
        return Cores(status: status ?? "")
    }

    private init(all: [Int]) { self.all = all }

    /// - Parameter status: the contents of a thread's status file.
    private init(status: String) {
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        let list = line?.drop { $0 != "\t" }.dropFirst() ?? ""
        all = list.split(separator: ",").flatMap { part in
            let ends = part.split(separator: "-").compactMap { Int($0) }
            return ends.isEmpty ? [] : Array(ends[0]...ends[ends.count - 1])
        }
    }

    /// The cores of the calling thread as `sched_getaffinity` returns them.
    static var told: Cores {
        typealias Function = @convention(c) (Int32, Int, UnsafeMutablePointer<UInt8>) -> Int32
        var bytes = [UInt8](repeating: 0, count: 128)
        guard let found = dlsym(nil, "sched_getaffinity") else { return Cores(all: []) }
        _ = unsafeBitCast(found, to: Function.self)(0, bytes.count, &bytes)
        return Cores(
            all: (0..<bytes.count * 8).filter { bytes[$0 / 8] & 1 << UInt8($0 % 8) != 0 })
    }

    /// The cores of a process that the calling thread starts.
    static var ofNewProcess: Cores {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/cat")
        process.arguments = ["/proc/self/status"]
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return Cores(all: []) }
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Cores(status: text)
    }

    /// The cores of a thread that the calling thread starts.
    static var ofNewThread: Cores {
        let (found, done) = (Looks(), DispatchSemaphore(value: 0))
        Thread {
            found.look()
            done.signal()
        }.start()
        done.wait()
        return found.all[0].cores
    }
}

private final class Looks: Sendable {
    private let seen = Mutex<[(core: Int, cores: Cores)]>([])

    var all: [(core: Int, cores: Cores)] { seen.withLock { $0 } }

    func look() { seen.withLock { $0.append((Int(faultline_current_core()), .own)) } }
}

private enum Shelf {
    static var model: NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Shelf"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}
