import CRuntimeShims
import Synchronization
import Testing

@testable import LabRunner

/// Tests of threads that pass the baton to each other.
@Suite struct HandingOnTests {
    private let patience = Patience(limit: .seconds(600)) { false }

    /// Runs two threads with two turns each, in the given order.
    ///
    /// - Returns: the turns in their order, and the IDs of the threads that chose the next turn.
    private func run(_ order: [Int]) -> (done: [String], choosers: [UInt]) {
        let baton = Baton(names: ["a", "b"])
        let done = Mutex<[String]>([])
        @Sendable func note(_ what: String) { done.withLock { $0.append(what) } }
        baton.begin(
            ["a", "b"].map { name in
                {
                    note("\(name)1")
                    baton.pause(next: name)
                    note("\(name)2")
                }
            }, first: ["a", "b"])
        var (left, choosers) = (order.dropFirst(), [UInt]())
        let hasComeBack = baton.run(order[0], patience: patience) {
            choosers.append(faultline_thread_id())
            return left.popFirst()
        }
        #expect(hasComeBack)
        #expect(baton.isFinished(0) && baton.isFinished(1))
        baton.end()
        return (done.withLock { $0 }, choosers)
    }

    @Test(arguments: [[0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 1]])
    func `the thread that returns the baton chooses the next one`(_ order: [Int]) {
        let (done, choosers) = run(order)
        var turns = [0, 0]
        let expected = order.map { lane in
            turns[lane] += 1
            return "\(["a", "b"][lane])\(turns[lane])"
        }
        #expect(done == expected)
        // The thread that had a turn chooses the next one. The calling thread never chooses.
        #expect(choosers.count == 4)
        for (one, other) in zip(order.indices, order.indices.dropFirst()) {
            #expect((order[one] == order[other]) == (choosers[one] == choosers[other]))
        }
        #expect(!choosers.contains(faultline_thread_id()))
    }

    @Test func `if no thread chooses, each turn returns to the explorer`() {
        let baton = Baton(names: ["a"])
        let turns = Mutex(0)
        baton.begin(
            [
                {
                    turns.withLock { $0 += 1 }
                    baton.pause(next: "a")
                    turns.withLock { $0 += 1 }
                }
            ], first: ["a"])
        for turn in 1...2 {
            #expect(baton.run(0, patience: patience))
            #expect(turns.withLock { $0 } == turn)
        }
        #expect(baton.isFinished(0))
        baton.end()
    }
}
