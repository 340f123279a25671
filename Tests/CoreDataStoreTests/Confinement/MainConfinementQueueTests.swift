import CRuntimeShims
import Dispatch
import TestSupport
import Testing

@testable import CoreDataStore

@Suite(.serialized)
struct MainConfinementQueueTests {
    private let main = MainConfinementQueue(label: "view")

    @MainActor @Test func `Code on the main queue is current without asking`() {
        #expect(main.isCurrent)
        #expect(main.runAndWait { main.isCurrent })
    }

    @Test func `Another thread is not current and waits for the main queue`() async {
        let main = main
        await Background.run {
            #expect(!main.isCurrent)
            #expect(main.runAndWait { main.isCurrent })
            #expect(!main.isCurrent)
        }
    }

    @Test func `All main contexts share one queue`() async {
        let (main, other) = (main, MainConfinementQueue())
        await Background.run {
            #expect(main.runAndWait { other.isCurrent && other.runAndWait { main.isCurrent } })
        }
    }

    @Test func `Enqueued work runs on the main queue in order`() async {
        let log = Log()
        let main = main
        await withCheckedContinuation { continuation in
            main.enqueue("one") { log.add("1 \(main.isCurrent)") }
            main.enqueue("two") {
                log.add("2 \(main.isCurrent)")
                continuation.resume()
            }
        }
        #expect(log.lines == ["1 true", "2 true"])
    }

    @Test func `Threads other than the first one are not the initial thread`() async {
        #expect(faultline_initial_thread() != 0)
        await Background.run { #expect(faultline_initial_thread() != faultline_thread_id()) }
    }
}
