import CBaseline
import CYardstick
import CoreData
import LabBench

/// The operations that read whole tables as objects, aggregates or dictionaries, and the first
/// fetch.
extension LabBench.Operation {
    static let reading = [fullFetch, readLadder, dictionary, count, openAndFetch]

    private static let fullFetch = Self(
        "full-fetch",
        library: BookLibrary(),
        sentence: { "Fetches \($0.shape.bookTotal) books and reads every property." },
        twinSentence: { _ in
            "One SELECT of all columns; each row is kept in a separate block of memory."
        },
        engine: .confined { run, _ in
            try run.readBooks(NSFetchRequest<Book>(entityName: "Book"))
        },
        twin: TwinWork { cb_full_fetch($0.file, $1) })

    private static let rungs = ["ids", "faults", "values", "touched", "relationships"]

    private static let readLadder = Self(
        "read-ladder", parameters: [.word("rung", rungs)],
        library: BookLibrary(),
        sentence: { variant in
            let books = "\(variant.shape.bookTotal) books"
            return switch variant.word("rung") {
            case "ids": "Fetches the ids of \(books)."
            case "faults": "Fetches \(books) as faults."
            case "values": "Fetches \(books) with their values, and reads no value."
            case "touched": "Fetches \(books) and reads every property."
            default:
                "Fetches \(books) with their author prefetched, and reads every property and the "
                    + "author's name."
            }
        },
        twinSentence: { variant in
            switch variant.word("rung") {
            case "ids", "faults": "One SELECT of all keys."
            case "values": "One SELECT of all columns. Each row is kept in memory."
            case "touched": "One SELECT of all columns. Each row is kept in memory and read."
            default:
                "One SELECT of all books, and one of all their authors. All rows are kept in memory"
                    + " and read."
            }
        },
        engine: .confined { run, _ in try climb(run) },
        twin: TwinWork { run, result in
            let rung = rungs.firstIndex(of: run.variant.word("rung")) ?? 0
            cb_rung(run.file, Int32(rung), result)
        })

    private static func climb(_ run: EngineRun) throws -> EngineOutcome {
        let books = NSFetchRequest<Book>(entityName: "Book")
        switch run.variant.word("rung") {
        case "ids":
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            ids.resultType = .managedObjectIDResultType
            let found = try run.context.fetch(ids)
            return EngineOutcome(UInt64(found.count), keeping: found)
        case "faults":
            books.includesPropertyValues = false
            let found = try run.context.fetch(books)
            return EngineOutcome(UInt64(found.count), keeping: found)
        case "values":
            books.returnsObjectsAsFaults = false
            let found = try run.context.fetch(books)
            return EngineOutcome(UInt64(found.count), keeping: found)
        case "touched": return try run.readBooks(books)
        default:
            books.relationshipKeyPathsForPrefetching = run.prefetching(["author"])
            let found = try run.context.fetch(books)
            var sum: UInt64 = 0
            for book in found {
                sum &+= book.touched &+ UInt64(book.author?.name.utf8.count ?? 0) &* 19
            }
            return EngineOutcome(sum, keeping: found)
        }
    }

    private static let dictionary = Self(
        "dictionary", parameters: [.word("rows", ["plain", "grouped"])],
        library: BookLibrary(),
        sentence: { variant in
            variant.word("rows") == "plain"
                ? "Fetches title and pages of \(variant.shape.bookTotal) books as dictionaries."
                : "Fetches the number of books and the sum of their pages for each year."
        },
        twinSentence: { variant in
            variant.word("rows") == "plain"
                ? "One SELECT of two columns; each row is kept." : "One SELECT with GROUP BY."
        },
        engine: .confined { run, _ in try fetchDictionaries(run) },
        twin: TwinWork { run, result in
            cb_dictionary(run.file, run.variant.word("rows") == "grouped" ? 1 : 0, result)
        })

    private static func fetchDictionaries(_ run: EngineRun) throws -> EngineOutcome {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        guard run.variant.word("rows") == "grouped" else {
            request.propertiesToFetch = ["title", "pages"]
            let rows = try run.context.fetch(request)
            var sum: UInt64 = 0
            for row in rows {
                let title = row["title"] as? String ?? ""
                let pages = (row["pages"] as? NSNumber)?.int64Value ?? 0
                sum &+= UInt64(bitPattern: pages &* 5) &+ UInt64(title.utf8.count) &* 11
            }
            return EngineOutcome(sum, keeping: rows)
        }
        request.propertiesToGroupBy = ["year"]
        request.propertiesToFetch = ["year", total("count:", "number"), total("sum:", "pageSum")]
        let rows = try run.context.fetch(request)
        var sum: UInt64 = 0
        for row in rows {
            func number(_ key: String) -> Int64 { (row[key] as? NSNumber)?.int64Value ?? 0 }
            sum &+= UInt64(
                bitPattern: number("year") &* 3 &+ number("number") &* 5 &+ number("pageSum"))
        }
        return EngineOutcome(sum, keeping: rows)
    }

    private static func total(_ function: String, _ name: String) -> NSExpressionDescription {
        let total = NSExpressionDescription()
        total.name = name
        total.expression = NSExpression(
            forFunction: function, arguments: [NSExpression(forKeyPath: "pages")])
        total.expressionResultType = .integer64AttributeType
        return total
    }

    private static let count = Self(
        "count", parameters: [.integer("pages", 0...1_000_000, 500)],
        library: BookLibrary(),
        sentence: { "Counts the books with more than \($0.integer("pages")) pages." },
        twinSentence: { _ in "One SELECT COUNT(*) with the same condition." },
        engine: .confined { run, _ in
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages > %d", run.variant.integer("pages"))
            return EngineOutcome(UInt64(try run.context.count(for: request)))
        },
        twin: TwinWork { cb_count($0.file, Int64($0.variant.integer("pages")), $1) })

    private static let openAndFetch = Self(
        "open-and-fetch", parameters: [.integer("limit", 1...1_000_000, 20)],
        library: BookLibrary(),
        sentence: { "Opens the store and fetches its first \($0.integer("limit")) books." },
        twinSentence: { _ in "Opens the file and reads the same rows with one SELECT." },
        engine: .standalone { run in
            let stack = try EngineStack(run.file, run.model, lens: run.lens)
            return try stack.context.performAndWait {
                let request = NSFetchRequest<Book>(entityName: "Book")
                request.fetchLimit = run.variant.integer("limit")
                let books = try stack.context.fetch(request)
                let sum = books.reduce(UInt64(0)) { $0 &+ $1.touched }
                return EngineOutcome(sum, keeping: (stack, books))
            }
        },
        twin: TwinWork { cb_open_and_fetch($0.file, Int64($0.variant.integer("limit")), $1) })
}
