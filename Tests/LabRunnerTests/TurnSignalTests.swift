import CRuntimeShims
import CoreData
import Foundation
import Synchronization
import Testing

@testable import LabRunner

/// Where threads run that hand their turns on.
@Suite(.enabled(if: Cores.own.all.count > 1, "needs two cores"))
struct TurnSignalTests {
    /// Has a new thread wait, and signals from one core after the other.
    private func waited(keepsOn: Bool) -> [(core: Int, cores: Cores)] {
        _ = faultline_may_change_core()
        defer { faultline_leave_core() }
        let (turn, back) = (TurnSignal(keepsOn: keepsOn), TurnSignal())
        let (cores, seen) = (Cores.own.all, Looks())
        Thread {
            for _ in cores {
                turn.wait()
                seen.look()
                back.signal()
            }
            turn.letGo()
            seen.look()
            back.signal()
        }.start()
        for core in cores {
            faultline_keep_on_core(faultline_thread_number(), Int32(core))
            turn.signal()
            back.wait()
        }
        back.wait()
        return seen.all
    }

    @Test func `who keeps on is woken on the core of the one that signals`() {
        let all = Cores.own
        let seen = waited(keepsOn: true)
        // The first signal may come before the wait: that thread is not moved then.
        let moved = seen.dropFirst().dropLast()
        #expect(moved.map(\.core) == Array(all.all.dropFirst()))
        #expect(moved.allSatisfy { $0.cores.all == [$0.core] })
        #expect(seen.last?.cores == all)
    }

    @Test func `who has its turn may run where it could before`() {
        let all = Cores.own
        #expect(waited(keepsOn: false).allSatisfy { $0.cores == all })
    }

    @Test func `neither code nor threads that it makes are kept on a core`() throws {
        let before = Cores.own
        let seen = Mutex<[String: Set<[Int]>]>([:])
        func look(_ place: String) {
            let found: Set = [Cores.own.all, Cores.ofNewThread.all]
            seen.withLock { $0[place, default: []].formUnion(found) }
        }
        var options = Lab.Options(strategy: .random, limit: 20)
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

/// The cores that a thread may run on.
private struct Cores: Equatable, Sendable {
    let all: [Int]

    /// Those of the calling thread, as the system tells them: `0-3,6`.
    static var own: Cores {
        let status = try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        let list = line?.drop { $0 != "\t" }.dropFirst() ?? ""
        return Cores(
            all: list.split(separator: ",").flatMap { part in
                let ends = part.split(separator: "-").compactMap { Int($0) }
                return ends.isEmpty ? [] : Array(ends[0]...ends[ends.count - 1])
            })
    }

    /// Those of a thread that the calling one makes.
    static var ofNewThread: Cores {
        let (found, done) = (Looks(), TurnSignal())
        Thread {
            found.look()
            done.signal()
        }.start()
        done.wait()
        return found.all[0].cores
    }
}

/// What threads have seen of themselves.
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
