import Dispatch
import Foundation
import Testing

@testable import LabRunner

/// When a test that does not come back ends the process.
@Suite struct WatchdogTests {
    @Test func `what does not come back ends the process, and what has ended does not`() async {
        let result = await #expect(
            processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
        ) {
            let (rests, waits) = (Watchdog("rests"), Watchdog("waits"))
            rests.begin("a schedule", limit: .milliseconds(50))
            waits.begin("a schedule", limit: .milliseconds(500))
            rests.rest()
            DispatchSemaphore(value: 0).wait()
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("explored waits: a schedule has not ended within 0.5 seconds"))
        #expect(!text.contains("rests"))
    }

    @Test func `what others keep from Dispatch's threads has its time when they are done`() async {
        await #expect(processExitsWith: .success) {
            let watchdog = Watchdog("waits")
            let others = DispatchGroup()
            let end = ContinuousClock.now + .milliseconds(1_500)
            // More than there are threads: none is free before the end.
            for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
                DispatchQueue.global().async(group: others) { while ContinuousClock.now < end {} }
            }
            watchdog.begin("the run without a schedule", limit: .milliseconds(500))
            others.wait()
            watchdog.stop()
        }
    }
}
