import Foundation
import LabRunner
import LabScenario
import LabSchedule
import Testing

/// Compares the reported lost updates with those of a reference, in every schedule of many
/// generated scenarios. The reference runs the saves of a schedule serially.
@Suite struct LostUpdateFamilyTests {
    /// Every combination of a topology and a step that can hide the other save. Each is a separate
    /// test.
    private static let places = FamilyTopology.allCases.flatMap { topology in
        FamilyHiding.allCases.map { (topology, $0) }
    }

    private static let policies = ["error", "storeTrump", "objectTrump", "overwrite", "rollback"]

    /// Whether every scenario of two siblings runs with every policy. Otherwise it runs with only
    /// one, but every policy occurs with each reading, each rival and each hiding step.
    private static let isThorough =
        ProcessInfo.processInfo.environment["FAULTLINE_THOROUGH"] != nil

    private static func cases(
        _ topology: FamilyTopology, _ hiding: FamilyHiding
    ) -> [LostUpdateCase] {
        let start = FamilyHiding.allCases.firstIndex(of: hiding) ?? 0
        return FamilyReading.allCases.enumerated().flatMap { first, reading in
            FamilyRival.allCases.enumerated().flatMap { second, rival in
                policiesOf(topology, number: start + first + second).map {
                    LostUpdateCase(
                        reading: reading, hiding: hiding, topology: topology, rival: rival,
                        policy: $0)
                }
            }
        }.filter(\.isTold)
    }

    private static func policiesOf(_ topology: FamilyTopology, number: Int) -> [String] {
        switch topology {
        case .child, .children: ["error"]
        case .siblings: isThorough ? policies : [policies[number % policies.count]]
        }
    }

    @Test func `each policy occurs with each reading and rival, and with every hiding step`() {
        let cases = FamilyHiding.allCases.flatMap { Self.cases(.siblings, $0) }
        func met(_ sides: (LostUpdateCase) -> [String]) -> Int { Set(cases.map(sides)).count }
        let (readings, rivals) = (FamilyReading.allCases.count, FamilyRival.allCases.count)
        let (ways, policies) = (FamilyHiding.allCases.count, Self.policies.count)
        #expect(met { [$0.policy, $0.hiding.rawValue] } == policies * ways)
        #expect(met { [$0.policy, $0.reading.rawValue] } == policies * readings)
        // With these two readings, a lost update is reported only in some cases.
        let whole = cases.filter { ![.given, .elsewhere].contains($0.reading) }
        let triples = Set(whole.map { [$0.policy, $0.reading.rawValue, $0.rival.rawValue] })
        #expect(triples.count == policies * (readings - 2) * rivals)
    }

    @Test(arguments: places)
    func `an update is lost if no serial order of the saves has the values`(
        topology: FamilyTopology, hiding: FamilyHiding
    ) throws {
        var count = FamilyCount()
        for example in Self.cases(topology, hiding) { try count.run(example, limit: 200) }
        #expect(count.wrong.isEmpty, "\(count.text)")
        #expect(count.schedules > count.scenarios && count.scenarios > 30)
        #expect(count.serial > 0)
    }

    @Test(arguments: [FamilyTopology.siblings, .child])
    func `baton mode finds losses that a merge or a refresh hides`(topology: FamilyTopology) throws
    {
        var count = FamilyCount()
        for hiding in [FamilyHiding.merge, .automerge, .refresh] {
            for reading in [FamilyReading.inOneStep, .byNameLater, .readAgain] {
                try count.run(
                    LostUpdateCase(
                        reading: reading, hiding: hiding, topology: topology, rival: .adds,
                        policy: "error", mode: "baton"), limit: 20)
            }
        }
        #expect(count.wrong.isEmpty, "\(count.text)")
        #expect(count.lost > 0 && count.serial > 0)
    }
}

/// The results of some scenarios of the family.
struct FamilyCount {
    private(set) var scenarios = 0
    private(set) var schedules = 0
    private(set) var lost = 0
    private(set) var serial = 0
    /// The schedules about which the detector and the reference disagree.
    private(set) var wrong: [String] = []

    var text: String {
        "\(wrong.count) of \(schedules) schedules of \(scenarios) scenarios:\n"
            + wrong.prefix(8).joined(separator: "\n")
    }

    mutating func run(_ example: LostUpdateCase, limit: Int) throws {
        scenarios += 1
        let scenario = try ScenarioReader().read(Array(example.yaml.utf8), file: "family.yaml")
        guard case .inline(let shape) = scenario.model else { return }
        let trial = try ScenarioTrial(
            scenario, model: TrialModel(shape), folder: NSTemporaryDirectory())
        defer { trial.close() }
        let strategy: Strategy = example.mode == "baton" ? .random : .reduced
        try trial.explore(strategy, limit: limit) { end, _ in
            judge(end, of: example)
            return true
        }
    }

    private mutating func judge(_ end: ScheduleEnd, of example: LostUpdateCase) {
        schedules += 1
        func number(_ object: String, _ key: String) -> Int {
            end.graph?.objects[object]?.attributes[key].flatMap { Int($0) } ?? -1
        }
        let state = FamilyState(n: number("a", "n"), m: number("a", "m"), other: number("b", "n"))
        let isSerial = example.isSerial(
            state, user: end.values["x"].flatMap { Int($0) },
            userSaved: end.statuses["saving"] == "ok",
            writer: end.values["y"].flatMap { Int($0) }, writerSaved: end.statuses["rival"] == "ok")
        let found = end.findings.filter { $0.hasPrefix("lost ") }
        if isSerial { serial += 1 } else { lost += 1 }
        if isSerial == found.isEmpty { return }
        wrong.append(
            "\(isSerial ? "false alarm" : "miss"): \(example) path \(end.path) gives \(state)"
                + " \(end.statuses) \(end.values) \(found.sorted())")
    }
}
