import CRuntimeShims
import Dispatch
import TestSupport
import Testing

@testable import CoreDataStore

@Suite(.serialized)
struct MainConfinementQueueTests {
    private let main = MainConfinementQueue(label: "view")

    @MainActor @Test func `code on the main queue is current without a wait`() {
        #expect(main.isCurrent)
        #expect(main.runAndWait { main.isCurrent })
    }

    @Test func `another thread is not current and waits for the main queue`() async {
        let main = main
        await Background.run {
            #expect(!main.isCurrent)
            #expect(main.runAndWait { main.isCurrent })
            #expect(!main.isCurrent)
        }
    }

    @Test func `all main contexts share one queue`() async {
        let (main, other) = (main, MainConfinementQueue())
        await Background.run {
            #expect(main.runAndWait { other.isCurrent && other.runAndWait { main.isCurrent } })
        }
    }

    @Test func `enqueued blocks run on the main queue in order`() async {
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

    @Test func `only the first thread is the initial thread`() async {
        #expect(faultline_initial_thread() != 0)
        await Background.run { #expect(faultline_initial_thread() != faultline_thread_id()) }
    }
}
