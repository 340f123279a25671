import Foundation
import LabResults
import LabRunner
import ScenarioWriting
import Testing

/// Recorded runs in the form that the recorder writes.
enum Runs {
    static let entities = [
        RecordedEntity(
            "Account",
            attributes: [
                RecordedAttribute(
                    "balance", .integer64, isRequired: true, default: .integer(0)),
                RecordedAttribute("name", .string), RecordedAttribute("opened", .date),
                RecordedAttribute("number", .uuid), RecordedAttribute("rate", .double),
                RecordedAttribute("isOpen", .boolean), RecordedAttribute("seal", .binary),
                RecordedAttribute("limit", .decimal), RecordedAttribute("page", .uri),
                RecordedAttribute("colour", nil),
            ]),
        RecordedEntity("Item", attributes: [RecordedAttribute("code", .string)]),
        RecordedEntity(
            "Shelf", attributes: [RecordedAttribute("count", .integer64, default: .integer(0))],
            relationships: [RecordedRelationship("books", .many, to: "Book", inverse: "shelf")]),
        RecordedEntity(
            "Book",
            relationships: [RecordedRelationship("shelf", .one, to: "Shelf", inverse: "books")]
        ),
    ]

    static func run(
        _ contexts: [RecordedContext], _ actions: [(Int, RecordedAction)]
    ) -> RecordedRun {
        RecordedRun(
            name: "recorded", reason: "A test asked for it.", entities: entities,
            contexts: contexts,
            operations: actions.map { RecordedOperation($0.0, $0.1) })
    }

    static func saved(_ context: Int, _ rows: [RecordedRow] = []) -> [(Int, RecordedAction)] {
        [(context, .beginSave(.error)), (context, .commit(rows)), (context, .endSave(error: nil))]
    }

    static let account = RecordedObject("Account", 7)

    /// Two contexts read a balance and add an amount. The second save has a conflict.
    static func tills(from balance: Int64 = 1000) -> RecordedRun {
        let row = account
        func value(_ difference: Int64) -> RecordedValue { .integer(balance + difference) }
        return run(
            [RecordedContext("left"), RecordedContext("right")],
            [
                (0, .lookUp(row)), (1, .lookUp(row)), (0, .read(row, key: "balance", value(0))),
                (1, .read(row, key: "balance", value(0))),
                (0, .set(row, key: "balance", value(5), old: value(0))),
                (1, .set(row, key: "balance", value(7), old: value(0))),
            ] + saved(0) + [
                (1, .beginSave(.error)), (1, .conflict(row, kind: "locking")),
                (1, .endSave(error: 133_020)), (1, .refresh(row, keepsChanges: true)),
            ] + saved(1))
    }
}

/// Runs the scenario of a file in the lab.
enum Explored {
    static func result(of file: ScenarioFile) throws -> ScenarioResult {
        try withFile(file.text) { path in
            try #require(try ScenarioSuite(SuiteOptions()).run([path]).scenarios.first)
        }
    }

    /// The warnings of the linter.
    static func warnings(of file: ScenarioFile) throws -> [String] {
        try withFile(file.text) { path in
            try ScenarioSuite(SuiteOptions()).lint([path], runs: true).warnings.map(\.what)
        }
    }

    /// The number of schedules with the recorded outcome.
    static func recorded(_ result: ScenarioResult) -> Int {
        result.outcomes.filter { $0.grade == .interesting }.map(\.count).reduce(0, +)
    }

    private static func withFile<T>(_ text: String, _ body: (String) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("recorded.yaml")
        try text.write(to: file, atomically: true, encoding: .utf8)
        return try body(file.path)
    }
}
