import Foundation

@testable import LabTorture

enum Drafts {
    static let entities: [ScenarioDraft.Entity] = [
        .init(
            name: "Item", attributes: [.init(name: "n", line: "integer64")],
            relationships: [
                .init(name: "parts", line: "many Part inverse item cascade"),
                .init(name: "partner", line: "one Item inverse partnerOf"),
                .init(name: "partnerOf", line: "one Item inverse partner"),
            ]),
        .init(
            name: "Part", attributes: [.init(name: "n", line: "integer32")],
            relationships: [.init(name: "item", line: "one Item inverse parts")]),
    ]

    static func lone(_ steps: [String], setup: [String] = ["insert Item as o1 with n = 1"])
        -> ScenarioDraft
    {
        ScenarioDraft(
            entities: entities, contexts: [.init(name: "A")], setup: setup,
            sessions: [.init(name: "sa", context: "A", steps: lines("a", steps))])
    }

    static func two(
        _ first: [String], _ second: [String], setup: [String] = ["insert Item as o1 with n = 1"],
        policy: String = "error"
    ) -> ScenarioDraft {
        var draft = lone(first, setup: setup)
        draft.contexts = [.init(name: "A", policy: policy), .init(name: "B", policy: policy)]
        draft.sessions.append(.init(name: "sb", context: "B", steps: lines("b", second)))
        return draft
    }

    private static func lines(_ letter: String, _ steps: [String]) -> [ScenarioDraft.Line] {
        steps.enumerated().map { .init(name: "\(letter)\($0 + 1)", statements: [$1]) }
    }

    static func judge(_ draft: ScenarioDraft) throws -> Judgement {
        let folder = NSTemporaryDirectory() + "faultline-drafts-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return ScenarioJudge(bench: TrialBench(folder: folder)).judge(draft)
    }
}
