import Foundation
import LabRunner
import LabScenario
import LabSchedule
import Testing

/// Lost updates against a serial reference: every schedule of a generated family, with the verdict
/// computed from the values that its saves would give one after the other.
@Suite struct LostUpdateFamilyTests {
    /// The topologies with what hides the other save, each of which is a test.
    private static let places = FamilyTopology.allCases.flatMap { topology in
        FamilyHiding.allCases.map { (topology, $0) }
    }

    private static func cases(
        _ topology: FamilyTopology, _ hiding: FamilyHiding
    ) -> [LostUpdateCase] {
        let policies =
            topology == .siblings
            ? ["error", "storeTrump", "objectTrump", "overwrite", "rollback"]
            : ["error"]
        return FamilyReading.allCases.flatMap { reading in
            FamilyRival.allCases.flatMap { rival in
                policies.map {
                    LostUpdateCase(
                        reading: reading, hiding: hiding, topology: topology, rival: rival,
                        policy: $0)
                }
            }
        }.filter(\.isTold)
    }

    @Test(arguments: places)
    func `an update is lost where no serial order of the saves gives the values`(
        topology: FamilyTopology, hiding: FamilyHiding
    ) throws {
        var count = FamilyCount()
        for example in Self.cases(topology, hiding) { try count.run(example, limit: 200) }
        #expect(count.wrong.isEmpty, "\(count.text)")
        #expect(count.schedules > count.scenarios && count.scenarios > 30)
        #expect(count.serial > 0)
    }

    @Test(arguments: [FamilyTopology.siblings, .child])
    func `baton mode finds what a merge or a refresh hides`(topology: FamilyTopology) throws {
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

/// What came of some scenarios of the family.
struct FamilyCount {
    private(set) var scenarios = 0
    private(set) var schedules = 0
    private(set) var lost = 0
    private(set) var serial = 0
    /// Schedules in which detector and reference disagree.
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
