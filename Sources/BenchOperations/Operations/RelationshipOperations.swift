import CBaseline
import CoreData
import LabBench

/// The operations that traverse the relationship from authors to their books.
extension LabBench.Operation {
    static let relationships = [readToMany, prefetchToMany]

    private static let touch = ParameterSpec.word("touch", ["count", "all"])

    private static let readToMany = Self(
        "read-to-many", parameters: [touch],
        library: BookLibrary(),
        sentence: { "Fetches \($0.shape.authors) authors and \(touched($0))." },
        twinSentence: { variant in
            variant.word("touch") == "all"
                ? "One SELECT for all authors, one for the keys of each author's books, and one for"
                    + " each book."
                : "One SELECT for all authors, then one for the keys of each author's books."
        },
        engine: .confined { run, _ in try readAuthors(run, prefetching: nil) },
        twin: TwinWork { cb_to_many($0.file, touch($0), $1) })

    private static let prefetchToMany = Self(
        "prefetch-to-many", parameters: [touch],
        library: BookLibrary(),
        sentence: { variant in
            "Fetches \(variant.shape.authors) authors with their books prefetched and "
                + "\(touched(variant))."
        },
        twinSentence: { _ in "One SELECT for all authors, and one for all their books." },
        engine: .confined { run, _ in
            try readAuthors(run, prefetching: run.prefetching(["books"]))
        },
        twin: TwinWork { cb_prefetch($0.file, touch($0), $1) })

    private static func readAuthors(
        _ run: EngineRun, prefetching keyPaths: [String]?
    ) throws -> EngineOutcome {
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.relationshipKeyPathsForPrefetching = keyPaths
        let authors = try run.context.fetch(request)
        let readsBooks = run.variant.word("touch") == "all"
        var sum: UInt64 = 0
        for author in authors {
            let books = author.books
            sum &+= UInt64(books.count)
            guard readsBooks else { continue }
            // Safe: the model declares books as the destination of `books`.
            for book in books { sum &+= unsafeDowncast(book, to: Book.self).touched }
        }
        return EngineOutcome(sum, keeping: authors)
    }

    private static func touch(_ run: TwinRun) -> cb_touch {
        run.variant.word("touch") == "all" ? CB_TOUCH_ALL : CB_TOUCH_COUNT
    }

    private static func touched(_ variant: WorkloadVariant) -> String {
        variant.word("touch") == "all"
            ? "reads every property of every book" : "reads the number of books of each"
    }
}
