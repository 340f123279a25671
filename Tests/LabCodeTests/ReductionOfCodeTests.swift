import Foundation
import LabTorture
import Testing

@Suite struct ReductionOfCodeTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// `FAULTLINE_CODE_WORLDS` says how many programs are compared, `FAULTLINE_FIRST_SEED` which is
    /// the first; `faultline selfcheck` compares a thousand.
    @Test func `the reduced walk shows what every schedule shows`() throws {
        var check = CodeCheck(
            seed: UInt64(Self.number("FAULTLINE_FIRST_SEED") ?? 1),
            wanted: Self.number("FAULTLINE_CODE_WORLDS") ?? 5)
        if Self.number("FAULTLINE_CODE_WORLDS") == nil { check.most = 300 }
        let result = check.run()
        #expect(result.differences.isEmpty, "\(result.differences.joined(separator: "\n"))")
        // A reduction that reduces nothing would pass as well.
        #expect(result.reduced < result.exhaustive / 2)
        if Self.number("FAULTLINE_CODE_WORLDS") != nil { print(result) }
    }

    /// Figures for who wants them: `FAULTLINE_RATES=1`.
    @Test(.enabled(if: number("FAULTLINE_RATES") != nil))
    func `how many schedules run in a second`() throws {
        for isAsynchronous in [false, true] {
            let rate = try CodeRate.measure(isAsynchronous: isAsynchronous, schedules: 2_000)
            print("\(isAsynchronous ? "async" : "sync"): \(rate) schedules/s")
            #expect(rate > 0)
        }
    }
}
