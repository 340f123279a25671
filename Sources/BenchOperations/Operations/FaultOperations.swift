import CBaseline
import CoreData
import LabBench

/// The operations that fire faults: one by one, in batches, and after a refresh.
extension LabBench.Operation {
    static let faulting = [fireFaults, batchFaults, refresh]

    private static let fireFaults = Self(
        "fire-faults",
        parameters: [
            .word("source", ["store", "cache"]), .word("generation", ["unpinned", "pinned"]),
            .word("twin", TwinRun.libraries),
        ],
        library: BookLibrary(),
        sentence: { variant in
            let books = "\(variant.shape.bookTotal) books"
            if variant.word("source") == "cache" {
                return "Fires the faults of \(books) whose rows are in the row cache after a fetch"
                    + " in another context."
            }
            return variant.word("generation") == "pinned"
                ? "Pins the context to a query generation, fetches \(books) as faults and fires "
                    + "each one."
                : "Fetches \(books) as faults and fires each one."
        },
        twinSentence: { variant in
            if variant.word("source") == "cache" {
                return "One SELECT of all keys; each row is copied from a table in memory."
            }
            return variant.word("generation") == "pinned"
                ? "Inside one read transaction: one SELECT of all keys, then one for each row."
                : "One SELECT of all keys, then one SELECT for each row."
        },
        engine: .confined(
            prepare: { run in
                let prepared = Prepared()
                if run.variant.word("source") == "cache" {
                    prepared.keep(try run.contextWithAllBooks())
                }
                if run.variant.word("generation") == "pinned" {
                    try run.context.setQueryGenerationFrom(.current)
                }
                return prepared
            },
            run: { run, _ in
                let books = NSFetchRequest<Book>(entityName: "Book")
                books.includesPropertyValues = false
                return try run.readBooks(books)
            }),
        twin: TwinWork { run, result in
            guard run.setUp(result) else { return }
            if run.variant.word("source") == "cache" {
                cb_cached(run.file, 1, result)
            } else {
                cb_faults(run.file, run.variant.word("generation") == "pinned" ? 1 : 0, 0, result)
            }
        })

    private static let batchFaults = Self(
        "batch-faults",
        parameters: [
            .integer("batch", 1...1_000_000, 100), .word("twin", ["in-list", "array-join"]),
        ],
        library: BookLibrary(),
        sentence: { variant in
            "Fetches \(variant.shape.bookTotal) books with a batch size of "
                + "\(variant.integer("batch")) and reads every property."
        },
        twinSentence: { variant in
            variant.word("twin") == "array-join"
                ? "One SELECT of all keys, then a join with an array for each batch."
                : "One SELECT of all keys, then an IN list for each batch."
        },
        engine: .confined { run, _ in
            let books = NSFetchRequest<Book>(entityName: "Book")
            books.fetchBatchSize = run.variant.integer("batch")
            return try run.readBooks(books)
        },
        twin: TwinWork { run, result in
            let kind = run.variant.word("twin") == "array-join" ? CB_ARRAY_JOIN : CB_IN_LIST
            cb_batches(run.file, Int64(run.variant.integer("batch")), kind, result)
        })

    private static let refresh = Self(
        "refresh", parameters: [.word("source", ["store", "cache"])],
        library: BookLibrary(),
        sentence: { variant in
            "Turns \(variant.shape.bookTotal) books back into faults and fires each one again, "
                + (variant.word("source") == "store"
                    ? "reading the store." : "reading the row cache.")
        },
        twinSentence: { variant in
            variant.word("source") == "store"
                ? "One SELECT for each row, which replaces the row in memory."
                : "Each row is copied from a table in memory."
        },
        engine: .confined(
            prepare: { run in
                let books = try run.context.fetch(NSFetchRequest<Book>(entityName: "Book"))
                for book in books { _ = book.touched }
                if run.variant.word("source") == "store" { run.context.stalenessInterval = 0 }
                return Prepared(books)
            },
            run: { run, prepared in
                let context = run.context
                var sum: UInt64 = 0
                for case let book as Book in prepared.objects {
                    context.refresh(book, mergeChanges: false)
                    sum &+= book.touched
                }
                return EngineOutcome(sum)
            }),
        twin: TwinWork { run, result in
            if run.variant.word("source") == "store" {
                cb_faults(run.file, 0, 1, result)
            } else {
                cb_cached(run.file, 0, result)
            }
        })
}
