import LabResults

/// Writes the notes of a report. A note names a fact that the log lacks; some also describe how to
/// log it.
struct ReportNotes {
    let pipeline: LogPipeline
    let digest: LogDigest
    let hasPlans: Bool

    private var facts: LogFacts { pipeline.assembly.facts }

    /// Each note is one or two sentences.
    var all: [String] {
        guard digest.totals.statements > 0 else {
            return ["The log contains lines of Core Data, but no statement."]
        }
        return [truncated, threads, guesses, loose, plans, values, memory].compactMap(\.self)
    }

    private var truncated: String? {
        let count = digest.totals.truncated
        guard count > 0 || pipeline.cutLineCount > 0 else { return nil }
        if count == 0 { return "\(pipeline.cutLineCount) lines are longer than a million bytes." }
        return "\(count) statements are cut off, so their conditions are unknown. The system log "
            + "cuts at 1,024 characters; -com.apple.CoreData.Logging.stderr 1 writes whole lines "
            + "to the standard error."
    }

    private var threads: String? {
        guard facts.threads.isEmpty else { return nil }
        return "The lines have no thread numbers; the statements of concurrent threads are "
            + "distinguished only by their content."
    }

    private var guesses: String? {
        let count = digest.guessedCount
        guard count > 0 else { return nil }
        return "\(count) statements ran at the same time as others, so their rows and times "
            + "are unknown. Xcode shows thread numbers with the metadata of its console."
    }

    private var loose: String? {
        let count = facts.looseTotals
        guard count > 0 else { return nil }
        return "\(count == 1 ? "A total" : "\(count) totals") of fetches whose statement is not in "
            + "the log \(count == 1 ? "is" : "are") left out."
    }

    private var plans: String? {
        guard !hasPlans else { return nil }
        return
            "Query plans are missing: pass --store or --model to see missing indexes, or log at"
            + " level 4."
    }

    private var values: String? {
        guard !facts.hasValues, digest.hasParameters else { return nil }
        return "Values are missing: log at level 2 to see which fetches are repeated unchanged."
    }

    private var memory: String? {
        guard digest.repeats.isFull else { return nil }
        return "Only the first \(RepeatedReads.seenMax) different reads were searched for repeats."
    }
}
