import BenchResults
import Foundation
import LabResults

/// Handwritten result files for the tests of `compare` and `report`.
enum Saved {
    static func bench(selects: Int = 2, workload: String = "prefetch") throws -> String {
        let text = "SELECT 0, t0.Z_PK FROM ZBOOK t0"
        let strategy = StrategyResult(
            name: "prefetch", sentence: "Reads ahead.",
            counts: BenchCounts(statements: ["select": selects], rows: 100),
            statements: [StatementCount(kind: "select", text: text, count: selects)],
            checksum: "c0ffee")
        let report = BenchReport(
            preset: "smoke", seed: 1,
            environment: Environment(
                machine: "x86_64", cpu: "Example", cores: 2, memoryBytes: 1 << 30,
                operatingSystem: "Linux", swift: "6.3.1", sqlite: "3.40.1", build: "release"),
            results: [
                BenchResult(
                    workload: workload, file: "Workloads/prefetch.yaml", sentence: "Reads counts.",
                    parameters: [.init("authors", "10")], strategies: [strategy])
            ])
        return try json(report)
    }

    static func run() throws -> String {
        try json(
            RunReport(scenarios: [
                ScenarioResult(
                    name: "tour", file: "Scenarios/tour.yaml", sentence: "An account is kept.",
                    mode: .run, schedules: ScheduleCount(explored: 1, strategy: "as written"),
                    verdict: .passed)
            ]))
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}
