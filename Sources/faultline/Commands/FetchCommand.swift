import ArgumentParser
import CommandLineSupport
import Foundation
import LabBench
import SQLAnalysis

struct FetchCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract:
            "Runs one fetch on a copy of a store in several variants, and reports the best one.",
        discussion: """
            Each variant is counted (statements, rows, faults, steps of SQLite) and measured. \
            Counts decide the verdict: the best variant for the first screen, for every \
            object, for ids and for the number of objects; the fetchBatchSize and the prefetch \
            to write; a fetch index that would help, tried on the copy. Paste the Swift \
            lines into the app.
            """,
        examples: [
            "fetch Library.sqlite Book --sort title --prefetch author",
            "fetch Library.sqlite Book --predicate 'year > 1900' --limit 50",
            "fetch Library.sqlite Author --prefetch books.publisher --batch-size 20,50",
        ])

    @Argument(help: "The store's .sqlite file. It is copied and never written.")
    var store: String

    @Argument(help: "The entity to fetch.")
    var entity: String

    @Option(help: "The predicate's format, such as 'name BEGINSWITH \"A\"'.")
    var predicate: String?

    @Option(help: "A sort key, 'name' or 'name desc'; may be given several times.")
    var sort: [String] = []

    // The options accept values that begin with a minus sign, so that `validate()` can report a
    // negative number.
    @Option(parsing: .unconditional, help: "The maximum number of objects; 0 for all.")
    var limit = 0

    @Option(parsing: .unconditional, help: "The number of objects to skip first.")
    var offset = 0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Batch sizes to try, with commas between.", valueName: "sizes"))
    var batchSize = "20,100,500"

    @Option(
        help: ArgumentHelp(
            "A relationship to read of each object, such as books.publisher; may be given "
                + "several times.", valueName: "key-path"))
    var prefetch: [String] = []

    @Option(help: ArgumentHelp("A model to use instead of the store's own.", valueName: "path"))
    var model: String?

    @Option(parsing: .unconditional, help: "The number of measurements of each variant.")
    var rounds = 5

    @Option(help: "The format of the report: text, markdown, html or json.")
    var format: PageFormat = .text

    @Option(
        help: ArgumentHelp(
            "Write the report to this file instead of standard output.", valueName: "file"))
    var output: String?

    private var sizes: [Int]? {
        let sizes = batchSize.split(separator: ",", omittingEmptySubsequences: false).map {
            Int($0.trimmingCharacters(in: .whitespaces)) ?? 0
        }
        return sizes.allSatisfy { $0 > 0 } ? sizes : nil
    }

    func validate() throws {
        if sizes == nil {
            throw ValidationError(
                "--batch-size is '\(batchSize)'; write whole numbers, 1 or more, such as 20,100")
        }
        if limit < 0 {
            throw ValidationError("--limit is \(limit); write 0 for all objects, or a maximum")
        }
        if offset < 0 {
            throw ValidationError("--offset is \(offset); write the number of objects to skip")
        }
        if rounds < 1 || rounds > 1_000 {
            throw ValidationError("--rounds is \(rounds); write 1 to 1000")
        }
    }

    func status() throws -> ExitStatus {
        var question = FetchQuestion(entity: entity)
        question.predicate = predicate
        question.sort = sort
        question.limit = limit
        question.offset = offset
        question.batchSizes = sizes ?? []
        question.keyPaths = prefetch
        var trial = try FetchTrial(store: store, model: model)
        trial.rounds = rounds
        trial.build = MachineFacts.isDebugBuild ? "debug" : "release"
        let progress = ProgressLine()
        defer { progress.finish() }
        let report = try trial.run(question, progress: progress.sink)
        progress.finish()
        let text = try format.text(report)
        if let output { try Places.write(text, to: output) } else { Console.write(text) }
        return .expected
    }
}
