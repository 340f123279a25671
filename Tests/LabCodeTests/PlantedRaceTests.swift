import CWaitHooks
import Testing

@testable import LabRunner

/// Tests that a known race is found only if the lab controls the operations of threads.
@Suite struct PlantedRaceTests {
    @Test func `the race is found here`() { #expect(PlantedRace.missing == nil) }

    @Test func `a process without a hook is reported as unfit for exploration`() async {
        await #expect(processExitsWith: .success) {
            // Disables the hooks for Dispatch, as if another library had replaced the same
            // functions.
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
