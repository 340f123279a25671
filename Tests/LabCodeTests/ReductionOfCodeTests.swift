import Foundation
import LabTorture
import Testing

@Suite struct ReductionOfCodeTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// `FAULTLINE_CODE_WORLDS` is the number of compared programs, `FAULTLINE_FIRST_SEED` is the
    /// seed of the first; `faultline selfcheck` compares a thousand.
    @Test func `the reduced walk has every result of all schedules`() throws {
        var check = CodeCheck(
            seed: UInt64(Self.number("FAULTLINE_FIRST_SEED") ?? 1),
            wanted: Self.number("FAULTLINE_CODE_WORLDS") ?? 5)
        if Self.number("FAULTLINE_CODE_WORLDS") == nil { check.most = 300 }
        let result = check.run()
        #expect(result.differences.isEmpty, "\(result.differences.joined(separator: "\n"))")
        // Without this check a reduction that skips nothing would pass.
        #expect(result.reduced < result.exhaustive / 2)
        if Self.number("FAULTLINE_CODE_WORLDS") != nil { print(result) }
    }

    /// Prints rates if `FAULTLINE_RATES=1` is set.
    @Test(.enabled(if: number("FAULTLINE_RATES") != nil))
    func `the number of schedules that run in a second`() throws {
        for isAsynchronous in [false, true] {
            let rate = try CodeRate.measure(isAsynchronous: isAsynchronous, schedules: 2_000)
            print("\(isAsynchronous ? "async" : "sync"): \(rate) schedules/s")
            #expect(rate > 0)
        }
    }
}
