import CoreData

// In new Xcode projects, declarations are isolated to the main actor by default. Managed objects
// are not, because contexts have their own queues.

/// The sum of the tracks is computed on the queue of the record's context.
public nonisolated func seconds(of record: Record) -> Int {
    (record.tracks?.array ?? []).reduce(0) { $0 + Int(($1 as? Track)?.seconds ?? 0) }
}

/// A function for the screen, which is isolated to the main actor.
public func title(of record: Record) -> String { record.title ?? "Untitled" }
