import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct MutantsCommandTests {
    #if DEBUG
        @Test func `the scenario in the table notices each small fault of the engine`()
            throws
        {
            let result = try Tool.run("mutants", in: Tool.root)
            #expect(result.status == 0, "\(result.output)\(result.complaint)")
            let last = result.output.split(separator: "\n").last?.split(separator: " ") ?? []
            let killed = try #require(Int(last.first ?? ""))
            #expect(last.joined(separator: " ") == "\(killed) of \(killed) mutants killed")
            #expect(killed >= 25)
        }

        @Test func `a fault that no scenario notices fails the gate`() throws {
            let result = try Tool.run(
                "mutants", "Scenarios/tour-two-sessions.yaml", "--only", "cascadeNullifies",
                in: Tool.root)
            #expect(result.status == 1)
            #expect(result.output.contains("SURVIVES"))
            #expect(result.output.contains("0 of 1 mutants killed"))
        }
    #endif
}
