import CoreDataTrace
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore

struct DispatchConfinementQueueTests {
    private let queue = DispatchConfinementQueue(label: "child")
    private let parent = DispatchConfinementQueue(label: "parent")

    @Test func `A queue is current only while its work runs`() {
        #expect(!queue.isCurrent)
        queue.runAndWait {
            #expect(queue.isCurrent)
            #expect(!parent.isCurrent)
        }
        #expect(!queue.isCurrent)
    }

    // Proves S5-3
    @Test func `A wait inside the queue's own work runs inline`() {
        let value = queue.runAndWait { queue.runAndWait { queue.runAndWait { 3 } } }
        #expect(value == 3)
        #expect(!queue.isCurrent)
    }

    // Proves S5-5
    @Test func `A child stays current while it waits for its parent and comes back`() {
        queue.runAndWait {
            parent.runAndWait {
                #expect(queue.isCurrent && parent.isCurrent)
                queue.runAndWait { #expect(queue.isCurrent && parent.isCurrent) }
                #expect(parent.isCurrent)
            }
            #expect(queue.isCurrent && !parent.isCurrent)
        }
    }

    @Test func `A wait runs after the work that was enqueued before it`() {
        let log = Log()
        for number in 1...3 { queue.enqueue("step") { log.add("\(number)") } }
        queue.runAndWait { log.add("wait") }
        #expect(log.lines == ["1", "2", "3", "wait"])
    }

    // Proves S5-4
    @Test func `A wait runs on the calling thread and passes on what is thrown`() {
        let caller = ThreadName.current
        #expect(queue.runAndWait { ThreadName.current } == caller)
        #expect(throws: CoreDataError.self) {
            try queue.runAndWait { () throws(CoreDataError) in
                throw CoreDataError(.invalidArgument, "no")
            }
        }
        #expect(!queue.isCurrent)
    }

    @Test func `Work of many threads runs one piece at a time`() {
        // Safe: the queue is what guards the number; the test is whether it does.
        nonisolated(unsafe) var number = 0
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<500 { queue.runAndWait { number += 1 } }
        }
        #expect(number == 4000)
    }

    @Test func `A wait for the main queue lends it the queues of the waiting thread`() async {
        let main = MainConfinementQueue()
        let (queue, parent) = (queue, parent)
        await Background.run {
            queue.runAndWait {
                parent.runAndWait {
                    main.runAndWait {
                        #expect(main.isCurrent && queue.isCurrent && parent.isCurrent)
                        // Would never return if the main queue's thread had to wait for them.
                        queue.runAndWait { parent.runAndWait { #expect(queue.isCurrent) } }
                    }
                    #expect(queue.isCurrent && parent.isCurrent)
                }
                #expect(queue.isCurrent && !parent.isCurrent)
            }
            #expect(!queue.isCurrent)
        }
    }

    @Test func `A trace hears of enqueued work and of waits`() {
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
