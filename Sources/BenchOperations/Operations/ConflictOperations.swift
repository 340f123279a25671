import CBaseline
import CoreData
import LabBench

/// The operation that saves rows that another context has changed in the meantime.
extension LabBench.Operation {
    static let conflicts = [conflict]

    private static let policies = ["error", "store", "object", "overwrite", "rollback"]

    private static let conflict = Self(
        "conflict",
        parameters: [.integer("count", 1...100_000_000, 1_000), .word("policy", policies)],
        access: .changes, library: BookLibrary(),
        scale: Scale(parameter: "count", unit: "conflicts"),
        sentence: { variant in
            "Saves \(variant.integer("count")) changed books that another context has changed and "
                + "saved first, under the policy `\(variant.word("policy"))`."
        },
        twinSentence: { variant in
            let check = "One transaction: each UPDATE checks the version and fails"
            return switch variant.word("policy") {
            case "error": check + "; the row is read for the error, and nothing is written."
            case "store", "rollback":
                check + "; the row is read again, and the store's values stay."
            default: check + "; the row is read again and written with the new version."
            }
        },
        engine: .confined(
            prepare: { run in
                let books = try run.firstBooks(in: run.context)
                let other = run.stack.container.newBackgroundContext()
                try other.performAndWait {
                    for book in try run.firstBooks(in: other) { book.pages += 1 }
                    try other.save()
                }
                run.context.mergePolicy = policy(run.variant.word("policy"))
                return Prepared(books)
            },
            run: { run, prepared in
                for case let book as Book in prepared.objects { book.pages += 2 }
                guard run.variant.word("policy") == "error" else {
                    try run.context.save()
                    return EngineOutcome(0)
                }
                guard case .failure = Result(catching: { try run.context.save() }) else {
                    throw MeasurementError("the engine saved over another context's changes")
                }
                return EngineOutcome(0)
            }),
        twin: TwinWork { run, result in
            let policy = policies.firstIndex(of: run.variant.word("policy")) ?? 0
            cb_conflict(run.file, Int64(run.variant.integer("count")), Int32(policy), result)
        })

    private static func policy(_ name: String) -> NSMergePolicy {
        switch name {
        case "store": .mergeByPropertyStoreTrump
        case "object": .mergeByPropertyObjectTrump
        case "overwrite": .overwrite
        case "rollback": .rollback
        default: .error
        }
    }
}
