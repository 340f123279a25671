import Dispatch
import Foundation
import Testing

@testable import LabRunner

/// A hanging test ends the process after its limit. The clock is simulated except in the test that
/// ends a process.
@Suite struct WatchdogTests {
    private let start = ContinuousClock.now
    private var state = WatchdogState()

    private mutating func step(_ seconds: Int) -> WatchdogState.Step {
        state.step(at: start + .seconds(seconds))
    }

    private mutating func begin(_ what: String, _ limit: Int, at seconds: Int) {
        state.begin(what, limit: .seconds(limit), at: start + .seconds(seconds))
    }

    private mutating func answer(_ question: Int, at seconds: Int) {
        state.answer(question, at: start + .seconds(seconds))
    }

    @Test func `a schedule that exceeds its limit ends the process`() async {
        let result = await #expect(
            processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
        ) {
            let (rests, waits) = (Watchdog("rests"), Watchdog("waits"))
            rests.begin("a schedule", limit: .seconds(3_600))
            rests.rest()
            waits.begin("a schedule", limit: .milliseconds(50))
            DispatchSemaphore(value: 0).wait()
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("explored waits: a schedule has not ended within 0.05 seconds"))
        #expect(!text.contains("rests"))
    }

    @Test mutating func `a schedule that ended in time is not checked`() {
        #expect(step(0) == .wait(nil))
        begin("a schedule", 10, at: 0)
        #expect(step(4) == .wait(.seconds(6)))
        state.rest()
        #expect(step(60) == .wait(nil))
        begin("another one", 10, at: 60)
        #expect(step(61) == .wait(.seconds(9)))
        state.stop()
        #expect(step(61) == .stop)
    }

    @Test mutating func `if pool threads are free, a test has twice its limit`() {
        begin("a schedule", 10, at: 0)
        #expect(step(10) == .ask(1))
        answer(1, at: 11)
        #expect(step(12) == .wait(.seconds(9)))
        answer(1, at: 20)
        #expect(step(21) == .end("a schedule", .seconds(10)))
    }

    @Test mutating func `if pool threads are busy, a test has its limit again after they are free`()
    {
        begin("a schedule", 10, at: 0)
        #expect(step(10) == .ask(1))
        #expect(step(49) == .wait(.seconds(1)))
        answer(1, at: 49)
        #expect(step(58) == .wait(.seconds(1)))
        #expect(step(59) == .end("a schedule", .seconds(10)))
    }

    @Test mutating func `if no pool thread answers, the process ends`() {
        begin("a schedule", 10, at: 0)
        #expect(step(10) == .ask(1))
        #expect(step(50) == .end("a schedule", .seconds(10)))
    }

    @Test mutating func `a late answer does not extend the limit of a later schedule`() {
        begin("a schedule", 10, at: 0)
        #expect(step(10) == .ask(1))
        begin("another one", 10, at: 12)
        answer(1, at: 13)
        #expect(step(14) == .wait(.seconds(8)))
        #expect(step(22) == .ask(2))
        answer(1, at: 23)
        #expect(step(24) == .wait(.seconds(38)))
        state.rest()
        answer(2, at: 25)
        #expect(step(26) == .wait(nil))
    }
}
