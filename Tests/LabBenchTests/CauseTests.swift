import BenchResults
import Testing

/// Tests that differences with a common cause are reported once.
@Suite struct CauseTests {
    private func difference(
        _ metric: String, _ strategy: String = "plain", shapes: [String]? = nil,
        workload: String = "shelves", effect: GateDifference.Effect = .regression
    ) -> GateDifference {
        GateDifference(
            effect: effect, workload: workload, strategy: strategy, metric: metric,
            baseline: "1", current: "2", shapes: shapes, message: "\(strategy) \(metric)")
    }

    private func causes(_ differences: [GateDifference]) -> [GateCause] {
        GateVerdict(
            status: .failed, baseline: "b", compared: 20, differences: differences
        ).causes
    }

    @Test func `a missing prefetch that moves thirteen figures is one cause`() throws {
        let shape = "SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZSHELF = ?"
        let metrics = ["rows", "faults", "relationship-faults", "vm-steps", "time"]
        let all =
            ["count", "all"].flatMap { strategy in
                [difference("statements.select", strategy, shapes: [shape])]
                    + metrics.map { difference($0, strategy) }
            } + [difference("prefetches", "all", effect: .improvement)]
        #expect(all.count == 13)
        let found = causes(all)
        #expect(found.count == 1)
        #expect(found[0].strategies == ["count", "all"])
        #expect(found[0].head.metric == "statements.select" && found[0].others.count == 12)
    }

    @Test func `lists of different lengths have the same shape`() {
        let found = causes([
            difference("statements.select", "batch=2", shapes: ["SELECT a WHERE k IN (?, ?)"]),
            difference("statements.select", "batch=3", shapes: ["SELECT a WHERE k IN (?, ?, ?)"]),
        ])
        #expect(found.count == 1)
    }

    @Test func `each other statement, workload or result is a separate cause`() {
        let found = causes([
            difference("statements.select", "a", shapes: ["SELECT a"]),
            difference("statements.select", "b", shapes: ["SELECT b"]),
            difference("statements.select", "a", shapes: ["SELECT a"], workload: "desks"),
            difference("checksum", "a", effect: .change),
            difference("rows", "c", effect: .improvement),
        ])
        #expect(found.count == 5)
    }
}
