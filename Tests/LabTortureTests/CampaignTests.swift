import LabResults
import Testing

@testable import TortureCampaigns

/// A campaign that was stopped and continued has the same report as an uninterrupted one.
@Suite struct CampaignTests {
    /// A part that counts its attempts, of which every seventh one fails.
    private struct Sevens: TorturePart {
        let name = "sevens"

        func run(
            _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
        ) throws -> TortureSlice {
            var slice = TortureSlice()
            for attempt in attempts {
                slice.count("attempts of seed \(seed)")
                if attempt % 7 == 6 { slice.fail(attempt, "a seventh") }
                progress(attempt - attempts.lowerBound + 1)
            }
            return slice
        }
    }

    private struct Stop: Error {}

    @Test func `a campaign that was stopped continues with the next attempt`() throws {
        let plans = [TortureCampaign.Plan(Sevens(), attempts: 250)]
        var kept = TortureReport(preset: "short", seed: 5)
        #expect(throws: Stop.self) {
            _ = try TortureCampaign(
                plans,
                keep: { state in
                    kept = state
                    if state.parts[0].completed >= 101 { throw Stop() }
                }
            ).run(kept)
        }
        #expect(!kept.isComplete)
        let resumed = try TortureCampaign(plans).run(kept)
        let whole = try TortureCampaign(plans).run(TortureReport(preset: "short", seed: 5))
        #expect(resumed.isComplete)
        #expect(resumed.parts[0].counts == ["attempts of seed 5": 250])
        #expect(resumed.parts[0].counts == whole.parts[0].counts)
        #expect(resumed.parts[0].failures == whole.parts[0].failures)
        #expect(whole.parts[0].failures.count == 35)
    }

    @Test func `one attempt of many is run by its number`() throws {
        let plan = TortureCampaign.Plan(Sevens(), attempts: 9_000, floor: 50)
            .from(20, attempts: 1)
        let result = try TortureCampaign([plan]).run(TortureReport(preset: "short", seed: 5))
        #expect(result.parts[0].failures.map(\.attempt) == [20])
        #expect(result.isComplete)
    }
}
