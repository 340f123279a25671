import Foundation

/// The publishers of objects that keep none themselves: model objects of views, for instance.
///
/// ``CombineTypes/ObservableObject`` asks it. An object is held weakly, because an extension of a
/// protocol learns of no object's end; entries of objects that are gone are dropped whenever the
/// table has doubled, and where another object has come to the same place.
final class PublisherTable {
    static let shared = PublisherTable()

    private let lock = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// From this number on, entries of objects that are gone are looked for.
    private var limit = 64

    private struct Entry {
        weak var object: AnyObject?
        let publisher: CombineTypes.ObservableObjectPublisher
    }

    func publisher(of object: AnyObject) -> CombineTypes.ObservableObjectPublisher {
        // Let go of outside the lock: the end of an object may ask for a publisher itself.
        var held: [AnyObject] = []
        defer { withExtendedLifetime(held) {} }
        return lock.withLock {
            let id = ObjectIdentifier(object)
            if let entry = entries[id] {
                if let known = entry.object {
                    held.append(known)
                    if known === object { return entry.publisher }
                }
                held.append(entry.publisher)
            }
            if entries.count >= limit { held += dropGone() }
            let made = CombineTypes.ObservableObjectPublisher()
            entries[id] = Entry(object: object, publisher: made)
            return made
        }
    }

    /// - Returns: what must be let go of outside the lock.
    private func dropGone() -> [AnyObject] {
        var held: [AnyObject] = []
        for (id, entry) in entries {
            if let object = entry.object {
                held.append(object)
            } else {
                held.append(entry.publisher)
                entries[id] = nil
            }
        }
        limit = max(64, 2 * entries.count)
        return held
    }

    /// How many objects have an entry, gone ones included.
    var count: Int { lock.withLock { entries.count } }
}

// @unchecked Sendable because `lock` guards entries and limit.
extension PublisherTable: @unchecked Sendable {}
