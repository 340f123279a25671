import CBaseline
import CoreData
import LabBench

/// The operations on transformable, externally stored and derived attributes.
extension LabBench.Operation {
    static let values = [insertValues]

    private static let kinds = ["plain", "transformable", "derived", "external"]

    private static let insertValues = Self(
        "insert-values",
        parameters: [
            .word("kind", kinds), .integer("count", 1...1_000_000, 5_000),
            .integer("bytes", 1...10_000_000, 100),
        ],
        access: .disturbs, library: PaperLibrary(),
        scale: Scale(parameter: "count", unit: "papers"),
        sentence: { variant in
            let (count, bytes) = (variant.integer("count"), variant.integer("bytes"))
            let what =
                switch variant.word("kind") {
                case "transformable":
                    "a note of \(bytes) bytes, which a transformer creates from a text"
                case "derived": "a folder that counts its papers"
                case "external": "a scan of \(bytes) bytes, which is in a separate file"
                default: "\(bytes) bytes in a column"
                }
            return "Inserts \(count) papers with \(what), saves, and reads all values again."
        },
        twinSentence: { variant in
            switch variant.word("kind") {
            case "external":
                "A file for each value is written to the disk. Then one transaction with an INSERT"
                    + " for each row, and one SELECT of all rows; each file is read."
            case "derived":
                "One transaction with an INSERT for each row and the triggers of the store; then"
                    + " one SELECT of all folders."
            default: "One transaction with an INSERT for each row; then one SELECT of all rows."
            }
        },
        engine: .confined { run, _ in try insertPapers(run) },
        twin: TwinWork { run, result in
            let kind = kinds.firstIndex(of: run.variant.word("kind")) ?? 0
            cb_values(
                run.file, Int32(kind), Int64(run.variant.integer("count")),
                Int64(run.variant.integer("bytes")), result)
        })

    private static func insertPapers(_ run: EngineRun) throws -> EngineOutcome {
        let context = run.context
        let kind = run.variant.word("kind")
        let folders = try context.fetch(NSFetchRequest<Folder>(entityName: "Folder"))
        let bytes = Data(repeating: UInt8(ascii: "a"), count: run.variant.integer("bytes"))
        let text = String(decoding: bytes, as: UTF8.self)
        for index in 0..<run.variant.integer("count") {
            let paper = Paper(context: context)
            switch kind {
            case "transformable": paper.note = text
            case "derived": paper.folder = folders[index % folders.count]
            case "external": paper.scan = bytes
            default: paper.plain = bytes
            }
        }
        try context.save()
        context.reset()
        var sum: UInt64 = 0
        if kind == "derived" {
            let counted = try context.fetch(NSFetchRequest<Folder>(entityName: "Folder"))
            for folder in counted { sum &+= UInt64(folder.paperCount) }
            return EngineOutcome(sum, keeping: counted)
        }
        let papers = try context.fetch(NSFetchRequest<Paper>(entityName: "Paper"))
        for paper in papers {
            let count =
                switch kind {
                case "transformable": paper.note?.utf8.count
                case "external": paper.scan?.count
                default: paper.plain?.count
                }
            sum &+= UInt64(count ?? 0)
        }
        return EngineOutcome(sum, keeping: papers)
    }
}
