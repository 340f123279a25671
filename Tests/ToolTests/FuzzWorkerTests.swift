import Foundation
import FuzzAttacks
import LabResults
import TestSupport
import Testing
import TortureCampaigns

/// Workers of `faultline-torture` find a planted fault, name the input that causes it, and
/// continue.
@Suite(.enabled(if: BuiltTool.torture != nil, "the faultline-torture executable is not built"))
struct FuzzWorkerTests {
    /// Small limits detect hanging and growing workers quickly.
    private func slice(
        _ target: String, attempts: Int = 300, seconds: Double = 1
    ) throws -> TortureSlice {
        var limits = FuzzPool.Limits()
        limits.seconds = seconds
        limits.residentBytes = 300 << 20
        let tool = try #require(BuiltTool.torture).path
        let pool = FuzzPool(tool: tool, limits: limits, size: 2)
        return try FuzzPart(target, pool: pool).run(0..<attempts, seed: 3) { _ in }
    }

    /// The inputs of these attempts end with the bytes `99`, which trigger a planted fault.
    private func planted(_ target: String, below count: Int) throws -> [Int] {
        let target = try FuzzTargets.target(target)
        return (0..<count).filter { target.input(of: $0, seed: 3).suffix(2) == [0x39, 0x39] }
    }

    @Test func `a reader without a fault receives every input and fails at none`() throws {
        let slice = try slice("planted-nothing")
        #expect(slice.failures.isEmpty)
        let (accepted, refused) = (slice.counts["accepted"] ?? 0, slice.counts["refused"] ?? 0)
        #expect(accepted + refused == 300)
        #expect(accepted > 0 && refused > 0)
    }

    @Test func `an input that ends the process is reported, shrunk, and skipped`() throws {
        let slice = try slice("planted-trap")
        let planted = try planted("planted-trap", below: 300)
        #expect(!planted.isEmpty)
        #expect(slice.counts["crashes"] == planted.count)
        #expect(slice.counts["accepted"] == 300 - planted.count)
        #expect(slice.failures.map(\.attempt) == Array(planted.prefix(3)))
        #expect(slice.failures.first?.what.contains("signal") == true)
        #expect(slice.failures.first?.input == "99")
    }

    @Test func `an input that takes too long is reported and skipped`() throws {
        let planted = try planted("planted-hang", below: 150)
        let slice = try slice("planted-hang", attempts: (planted.first ?? 0) + 1)
        #expect(slice.counts["hangs"] == 1)
        #expect(slice.failures.map(\.attempt) == [planted[0]])
        let (accepted, refused) = (slice.counts["accepted"] ?? 0, slice.counts["refused"] ?? 0)
        #expect(accepted + refused == planted[0])
    }

    @Test func `an input that needs too much memory is reported and skipped`() throws {
        let planted = try planted("planted-growth", below: 150)
        // The limit is 60 seconds, because the memory of the worker must exceed its bound also on a
        // busy machine.
        let slice = try slice("planted-growth", attempts: (planted.first ?? 0) + 1, seconds: 60)
        #expect(slice.counts["inputs beyond the bound on memory"] == 1)
        #expect(slice.failures.map(\.attempt) == [planted[0]])
    }

    @Test func `a broken promise is reported with its input`() throws {
        let slice = try slice("planted-promise")
        let planted = try planted("planted-promise", below: 300)
        #expect(slice.counts["broken guarantees"] == planted.count)
        #expect(slice.failures.first?.what == "99 is written as 98")
        #expect(slice.failures.first?.input == "99")
    }
}
