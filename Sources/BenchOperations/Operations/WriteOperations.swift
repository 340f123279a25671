import CBaseline
import CoreData
import LabBench

/// The operations that write: inserts, updates with a version check, and deletions with delete
/// rules.
extension WorkloadVariant {
    /// The number of books in each save; 0 for a single save. It is rounded up so that each save
    /// contains all books of its authors. So no save changes an author of an earlier save.
    var chunk: Int {
        let books = shape.books
        return (integer("chunk") + books - 1) / books * books
    }
}

extension LabBench.Operation {
    static let writing = [insert, update, access, deleteOwners]

    private static let insert = Self(
        "insert",
        parameters: [
            .integer("chunk", 0...100_000_000, 0), .word("context", ["own", "child"]),
        ],
        access: .creates, library: BookLibrary(),
        rows: { Dataset($0.shape) },
        sentence: { variant in
            let rows = "\(variant.shape.authors) authors and \(variant.shape.bookTotal) books"
            let saves =
                variant.chunk == 0
                ? "one save" : "a save for every \(variant.chunk) books"
            return variant.word("context") == "child"
                ? "Inserts \(rows) in a child context, saves the child into its parent and the "
                    + "parent into the store, with \(saves)."
                : "Inserts \(rows) in \(saves)."
        },
        twinSentence: { variant in
            variant.chunk == 0
                ? "One transaction with an INSERT for each row."
                : "A transaction for every \(variant.chunk) books, with an INSERT for each row."
        },
        engine: .confined { run, _ in
            guard run.variant.word("context") == "child" else {
                return try insert(run, into: run.context) { try run.context.save() }
            }
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = run.context
            return try child.performAndWait {
                try insert(run, into: child) {
                    try child.save()
                    try run.context.save()
                }
            }
        },
        twin: TwinWork { run, result in
            let chunk = Int64(run.variant.chunk)
            run.dataset?.withBaseline { cb_insert(run.file, $0, chunk, result) }
        })

    private static func insert(
        _ run: EngineRun, into context: NSManagedObjectContext, saving save: () throws -> Void
    ) throws -> EngineOutcome {
        guard let dataset = run.dataset else {
            throw MeasurementError("the insert has no rows")
        }
        let chunk = run.variant.chunk
        let inserted = try dataset.insert(into: context) { books in
            if chunk > 0, books.isMultiple(of: chunk) { try save() }
        }
        try save()
        return EngineOutcome(0, keeping: inserted)
    }

    private static let update = Self(
        "update", parameters: [.integer("count", 1...100_000_000, 10_000)], access: .changes,
        library: BookLibrary(),
        scale: Scale(parameter: "count", unit: "changed books"),
        sentence: { "Changes one property of \($0.integer("count")) books and saves." },
        twinSentence: { _ in
            "One transaction with an UPDATE for each row, whose WHERE contains the version."
        },
        engine: .confined(
            prepare: { Prepared(try $0.firstBooks(in: $0.context)) },
            run: { run, prepared in
                for case let book as Book in prepared.objects { book.pages += 1 }
                try run.context.save()
                return EngineOutcome(0)
            }),
        twin: TwinWork { cb_update($0.file, Int64($0.variant.integer("count")), $1) })

    private static let access = Self(
        "access",
        parameters: [
            .word("accessor", ["slot", "generated", "key"]),
            .integer("count", 1...100_000_000, 10_000), .integer("rounds", 1...1_000_000, 20),
        ],
        access: .changes, library: BookLibrary(),
        scale: Scale(parameter: "count", unit: "books"),
        sentence: { variant in
            let accessor =
                switch variant.word("accessor") {
                case "generated": "generated accessors"
                case "key": "key-value coding"
                default: "slots"
                }
            return "Reads four properties of \(variant.integer("count")) books by \(accessor) and"
                + " adds a page to each, \(variant.integer("rounds")) times, then saves."
        },
        twinSentence: { _ in
            "The same with structs in memory; then one transaction with an UPDATE for each row,"
                + " whose WHERE contains the version."
        },
        engine: .confined(
            prepare: { Prepared(try $0.firstBooks(in: $0.context)) },
            run: { run, prepared in
                let books = prepared.objects.compactMap { $0 as? Book }
                let visit =
                    switch run.variant.word("accessor") {
                    case "generated": Book.visitedByAccessor
                    case "key": Book.visitedByKey
                    default: Book.visitedBySlot
                    }
                var sum: UInt64 = 0
                for _ in 0..<run.variant.integer("rounds") { sum &+= visit(books) }
                try run.context.save()
                return EngineOutcome(sum)
            }),
        twin: TwinWork { run, result in
            let (count, rounds) = (run.variant.integer("count"), run.variant.integer("rounds"))
            cb_access(run.file, Int64(count), Int64(rounds), 1, result)
        })

    private static let rules = ["cascade", "nullify", "deny"]

    private static let deleteOwners = Self(
        "delete-owners",
        parameters: [.integer("count", 1...1_000_000, 100), .word("rule", rules)],
        access: .changes, library: BookLibrary(),
        scale: Scale(parameter: "count", unit: "deleted authors"),
        sentence: { variant in
            let count = variant.integer("count")
            return switch variant.word("rule") {
            case "cascade":
                "Deletes \(count) authors and, by the cascade rule, their books, and saves."
            case "nullify":
                "Deletes \(count) authors, whose books remain without an author, and saves."
            default:
                "Deletes \(count) authors. The delete rule denies the deletion of authors with"
                    + " books, so the save fails."
            }
        },
        twinSentence: { variant in
            let read = "One SELECT for each author's books"
            return switch variant.word("rule") {
            case "cascade":
                read + ", then one transaction with a DELETE for each row, whose WHERE contains the"
                    + " version."
            case "nullify":
                read + ", then one transaction with an UPDATE for each book and a DELETE for each"
                    + " author, whose WHERE contains the version."
            default: read + "; nothing is written."
            }
        },
        engine: .confined(
            prepare: { run in
                let request = NSFetchRequest<Author>(entityName: "Author")
                request.fetchLimit = run.variant.integer("count")
                let authors = try run.context.fetch(request)
                for author in authors { _ = author.name }
                return Prepared(authors)
            },
            run: { run, prepared in
                for author in prepared.objects { run.context.delete(author) }
                guard run.variant.word("rule") == "deny" else {
                    try run.context.save()
                    return EngineOutcome(0)
                }
                let error = Result { try run.context.save() }
                guard case .failure = error else {
                    throw MeasurementError("the engine saved a deletion that the rule forbids")
                }
                return EngineOutcome(0)
            }),
        twin: TwinWork { run, result in
            let rule = rules.firstIndex(of: run.variant.word("rule")) ?? 0
            cb_delete_owners(run.file, Int64(run.variant.integer("count")), Int32(rule), result)
        })
}

/// Reads and changes books as programs do. Each kind of access has a separate loop, so that the
/// measured loops do not branch.
extension Book {
    fileprivate static func visitedBySlot(_ books: [Book]) -> UInt64 {
        books.reduce(into: 0) { sum, book in
            sum &+= Dataset.touch(
                year: book.year, pages: book.pages, copies: book.copies, title: book.title,
                hasAuthor: true)
            book.pages += 1
        }
    }

    fileprivate static func visitedByAccessor(_ books: [Book]) -> UInt64 {
        books.reduce(into: 0) { sum, book in
            sum &+= Dataset.touch(
                year: book.generatedYear, pages: book.generatedPages, copies: book.generatedCopies,
                title: book.generatedTitle, hasAuthor: true)
            book.generatedPages += 1
        }
    }

    fileprivate static func visitedByKey(_ books: [Book]) -> UInt64 {
        books.reduce(into: 0) { sum, book in
            let pages = book.value(forKey: "pages") as? Int64 ?? 0
            sum &+= Dataset.touch(
                year: book.value(forKey: "year") as? Int64 ?? 0, pages: pages,
                copies: book.value(forKey: "copies") as? Int64 ?? 0,
                title: book.value(forKey: "title") as? String ?? "", hasAuthor: true)
            book.setValue(pages + 1, forKey: "pages")
        }
    }
}
