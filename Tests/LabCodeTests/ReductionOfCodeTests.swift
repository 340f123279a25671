import Foundation
import LabTorture
import Testing

@Suite struct ReductionOfCodeTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// `FAULTLINE_CODE_WORLDS` sets the number of programs to compare, and `FAULTLINE_FIRST_SEED`
    /// sets the seed of the first one. `faultline selfcheck` compares a thousand programs.
    @Test func `the reduced walk has every result of all schedules`() throws {
        var check = CodeCheck(
            seed: UInt64(Self.number("FAULTLINE_FIRST_SEED") ?? 1),
            wanted: Self.number("FAULTLINE_CODE_WORLDS") ?? 8)
        if Self.number("FAULTLINE_CODE_WORLDS") == nil {
            check.most = 200
            check.drawn = 100
            check.classesMax = 100
        }
        check.jobs = Self.number("FAULTLINE_CODE_JOBS") ?? 1
        let result = try check.run()
        #expect(result.differences.isEmpty, "\(result.differences.joined(separator: "\n"))")
        // A reduction that skips no schedules would pass the first check.
        #expect(result.reduced < result.exhaustive / 2)
        if Self.number("FAULTLINE_CODE_WORLDS") != nil { print(result) }
    }

    @Test func `a walk over footprints that lack reads differs`() throws {
        var check = CodeCheck(seed: 1, wanted: 16)
        check.most = 50
        check.drawn = 50
        check.classesMax = 100
        check.forgetsReads = true
        #expect(try !check.run().differences.isEmpty)
    }

    /// Prints the rates if `FAULTLINE_RATES=1` is set in the environment.
    @Test(.enabled(if: number("FAULTLINE_RATES") != nil))
    func `the number of schedules that run in a second`() throws {
        for isAsynchronous in [false, true] {
            let rate = try CodeRate.measure(isAsynchronous: isAsynchronous, schedules: 2_000)
            print("\(isAsynchronous ? "async" : "sync"): \(rate) schedules/s")
            #expect(rate > 0)
        }
    }
}
