import CoreDataTrace
import TestSupport
import Testing

@testable import CoreDataStore

struct SteppedQueueTests {
    private let queue = SteppedQueue(label: "a")

    @Test func `nothing runs until the queue is stepped, and then in order`() {
        let log = Log()
        queue.enqueue("first") { log.add("first") }
        queue.enqueue("second") { log.add("second") }
        #expect(log.lines.isEmpty)
        #expect(queue.pending.map(\.label) == ["first", "second"])
        #expect(queue.runNext() == SteppedQueue.Pending(number: 1, label: "first"))
        #expect(log.lines == ["first"])
        #expect(queue.runNext()?.label == "second")
        #expect(queue.runNext() == nil)
        #expect(log.lines == ["first", "second"])
    }

    @Test func `a block can be run out of turn by its number`() {
        let log = Log()
        for label in ["a", "b", "c"] { queue.enqueue(label) { log.add(label) } }
        #expect(queue.run(2)?.label == "b")
        #expect(queue.run(2) == nil)
        #expect(queue.pending.map(\.number) == [1, 3])
        #expect(log.lines == ["b"])
    }

    @Test func `a block may enqueue more blocks while it runs`() {
        let (queue, log) = (queue, Log())
        queue.enqueue("outer") {
            #expect(queue.isCurrent)
            queue.enqueue("inner") { log.add("inner") }
            log.add("outer")
        }
        while queue.runNext() != nil {}
        #expect(log.lines == ["outer", "inner"])
    }

    @Test func `a wait runs at once, nested ones too, despite pending blocks`() {
        let parent = SteppedQueue(label: "parent")
        let log = Log()
        queue.enqueue("later") { log.add("later") }
        queue.runAndWait {
            parent.runAndWait {
                queue.runAndWait { log.add("\(queue.isCurrent) \(parent.isCurrent)") }
                #expect(queue.isCurrent)
            }
            #expect(queue.isCurrent && !parent.isCurrent)
        }
        #expect(!queue.isCurrent)
        #expect(log.lines == ["true true"])
        #expect(queue.pending.count == 1)
    }

    @Test func `two by two steps of two queues can be run in all six orders`() {
        var seen: Set<[String]> = []
        for bits in 0..<16 where bits.nonzeroBitCount == 2 {
            let log = Log()
            let queues = ["a", "b"].map { SteppedQueue(label: $0) }
            for queue in queues {
                for step in 1...2 { queue.enqueue("\(step)") { log.add("\(queue.label)\(step)") } }
            }
            for turn in 0..<4 { queues[(bits >> turn) & 1].runNext() }
            seen.insert(log.lines)
        }
        #expect(seen.count == 6)
    }

    @Test func `removing pending blocks restarts the numbers`() {
        queue.enqueue("a") { Issue.record("ran") }
        queue.removeAll()
        queue.enqueue("b") {}
        #expect(queue.pending == [SteppedQueue.Pending(number: 1, label: "b")])
    }
}
