import CWaitHooks
import Testing

@testable import LabRunner

/// A race that is known tells whether the lab sees what threads do.
@Suite struct PlantedRaceTests {
    @Test func `the race is found here`() { #expect(PlantedRace.missing == nil) }

    @Test func `a process without a hook is told not to be explored`() async {
        await #expect(processExitsWith: .success) {
            // As where another library has Dispatch's functions.
            _ = DispatchHooks.areInstalled
            faultline_take_work(
                faultline_work_taker(
                    enqueue: { _, _, _, _, _ in false }, run: { _, _, _, _ in false },
                    notify: { _, _, _, _ in false }, apply: { _, _, _, _ in false }))
            let failure = #expect(throws: (any Error).self) {
                try Lab.explore("blind", Lab.Options(cures: false)) { lab in
                    lab.session("a") {}
                }
            }
            let text = "\(try #require(failure))"
            #expect(text.contains("cannot explore here"))
            #expect(text.contains("Dispatch queues"))
        }
    }
}
