import CoreDataTrace
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore

struct DispatchConfinementQueueTests {
    private let queue = DispatchConfinementQueue(label: "child")
    private let parent = DispatchConfinementQueue(label: "parent")

    @Test func `a queue is current only while its block runs`() {
        #expect(!queue.isCurrent)
        queue.runAndWait {
            #expect(queue.isCurrent)
            #expect(!parent.isCurrent)
        }
        #expect(!queue.isCurrent)
    }

    // Proves S5-3
    @Test func `a wait inside the queue's own block runs inline`() {
        let value = queue.runAndWait { queue.runAndWait { queue.runAndWait { 3 } } }
        #expect(value == 3)
        #expect(!queue.isCurrent)
    }

    // Proves S5-5
    @Test func `a child stays current while it waits for its parent and after it`() {
        queue.runAndWait {
            parent.runAndWait {
                #expect(queue.isCurrent && parent.isCurrent)
                queue.runAndWait { #expect(queue.isCurrent && parent.isCurrent) }
                #expect(parent.isCurrent)
            }
            #expect(queue.isCurrent && !parent.isCurrent)
        }
    }

    @Test func `a wait runs after the blocks that were enqueued before it`() {
        let log = Log()
        for number in 1...3 { queue.enqueue("step") { log.add("\(number)") } }
        queue.runAndWait { log.add("wait") }
        #expect(log.lines == ["1", "2", "3", "wait"])
    }

    // Proves S5-4
    @Test func `a wait runs on the calling thread and rethrows errors`() {
        let caller = ThreadName.current
        #expect(queue.runAndWait { ThreadName.current } == caller)
        #expect(throws: CoreDataError.self) {
            try queue.runAndWait { () throws(CoreDataError) in
                throw CoreDataError(.invalidArgument, "no")
            }
        }
        #expect(!queue.isCurrent)
    }

    @Test func `blocks of many threads run one at a time`() {
        // Safe: the queue guards the number, which this test checks.
        nonisolated(unsafe) var number = 0
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<500 { queue.runAndWait { number += 1 } }
        }
        #expect(number == 4000)
    }

    @Test func `a wait for the main queue lends it the queues of the waiting thread`() async {
        let main = MainConfinementQueue()
        let (queue, parent) = (queue, parent)
        await Background.run {
            queue.runAndWait {
                parent.runAndWait {
                    main.runAndWait {
                        #expect(main.isCurrent && queue.isCurrent && parent.isCurrent)
                        // This call would never return if the thread of the main queue had to wait
                        // here.
                        queue.runAndWait { parent.runAndWait { #expect(queue.isCurrent) } }
                    }
                    #expect(queue.isCurrent && parent.isCurrent)
                }
                #expect(queue.isCurrent && !parent.isCurrent)
            }
            #expect(!queue.isCurrent)
        }
    }

    @Test func `a trace receives enqueued blocks and waits`() {
        let trace = Trace()
        let sink = TextSink()
        trace.add(sink)
        let queue = DispatchConfinementQueue(label: "context a", trace: trace)
        queue.enqueue("merge") {}
        queue.runAndWait { queue.runAndWait {} }
        #expect(
            sink.lines == [
                "enqueue merge on context a", "acquire context a", "release context a",
                "acquire context a", "release context a",
            ])
    }
}
