import CoreData

// In new Xcode projects every declaration belongs to the main actor by default; managed objects do
// not, because contexts have their own queues.

/// Adds up the tracks on the queue of the record's context.
public nonisolated func seconds(of record: Record) -> Int {
    (record.tracks?.array ?? []).reduce(0) { $0 + Int(($1 as? Track)?.seconds ?? 0) }
}

/// The title on the screen, which belongs to the main actor.
public func title(of record: Record) -> String { record.title ?? "Untitled" }
