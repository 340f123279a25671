// Owns the closed list of what a workload can do; each case has an engine side and a C side.

/// What a workload does.
package enum Operation: String, Sendable, CaseIterable, Codable {
    case fullFetch = "full-fetch"
    case fireFaults = "fire-faults"
    case batchFaults = "batch-faults"
    case readToMany = "read-to-many"
    case prefetchToMany = "prefetch-to-many"
    case insert
    case update
    case cascadeDelete = "cascade-delete"

    /// The parameters besides the shape of the data.
    package var parameters: [ParameterSpec] {
        switch self {
        case .fullFetch, .fireFaults, .insert: []
        case .batchFaults:
            [.integer("batch", 1...1_000_000, 100), .word("twin", ["in-list", "array-join"])]
        case .readToMany, .prefetchToMany: [.word("touch", ["count", "all"])]
        case .update: [.integer("count", 1...100_000_000, 10_000)]
        case .cascadeDelete: [.integer("count", 1...1_000_000, 100)]
        }
    }

    /// Whether the operation changes the file, so that each run needs a fresh copy.
    package var writes: Bool {
        switch self {
        case .fullFetch, .fireFaults, .batchFaults, .readToMany, .prefetchToMany: false
        case .insert, .update, .cascadeDelete: true
        }
    }

    /// What the engine does, as a sentence.
    package func sentence(_ variant: WorkloadVariant) -> String {
        let books = variant.shape.bookTotal
        return switch self {
        case .fullFetch: "Fetches \(books) books and reads every property."
        case .fireFaults: "Fetches \(books) books as faults and fires each one."
        case .batchFaults:
            "Fetches \(books) books with a batch size of \(variant.integer("batch")) and reads "
                + "every property."
        case .readToMany: "Fetches \(variant.shape.authors) authors and \(touched(variant))."
        case .prefetchToMany:
            "Fetches \(variant.shape.authors) authors with their books prefetched and "
                + "\(touched(variant))."
        case .insert: "Inserts \(variant.shape.authors) authors and \(books) books in one save."
        case .update: "Changes one property of \(variant.integer("count")) books and saves."
        case .cascadeDelete:
            "Deletes \(variant.integer("count")) authors, whose books go with them, and saves."
        }
    }

    /// What C does instead, as a sentence.
    package func twinSentence(_ variant: WorkloadVariant) -> String {
        switch self {
        case .fullFetch: "One SELECT of all columns; each row is kept in memory of its own."
        case .fireFaults: "One SELECT of all keys, then one SELECT for each row."
        case .batchFaults where variant.word("twin") == "array-join":
            "One SELECT of all keys, then a join with an array for each batch."
        case .batchFaults: "One SELECT of all keys, then an IN list for each batch."
        case .readToMany where variant.word("touch") == "all":
            "One SELECT of all authors, one for each author's keys, one for each book."
        case .readToMany: "One SELECT of all authors, then one for each author's keys."
        case .prefetchToMany: "One SELECT of all authors, one of all books joined with them."
        case .insert: "One transaction, one row to an INSERT."
        case .update: "One transaction, one UPDATE for each row with its version in the WHERE."
        case .cascadeDelete:
            "One SELECT for each author's books, then one transaction with one DELETE for each "
                + "row with its version in the WHERE."
        }
    }

    private func touched(_ variant: WorkloadVariant) -> String {
        variant.word("touch") == "all"
            ? "reads every property of every book" : "reads the number of books of each"
    }
}
