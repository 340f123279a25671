import Foundation

/// The publishers of objects that do not store a publisher themselves, such as view models.
///
/// ``CombineTypes/ObservableObject`` uses it. Objects are held weakly, and a protocol extension is
/// not notified when an object is freed. So the entries of freed objects are removed whenever the
/// table has doubled in size. A new object at the address of a freed object also replaces its
/// entry.
final class PublisherTable {
    static let shared = PublisherTable()

    private let lock = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries at which the entries of freed objects are removed.
    private var limit = 64

    private struct Entry {
        weak var object: AnyObject?
        let publisher: CombineTypes.ObservableObjectPublisher
    }

    func publisher(of object: AnyObject) -> CombineTypes.ObservableObjectPublisher {
        // Released outside of the lock, because the `deinit` of an object may request a publisher.
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

    /// Removes the entries of freed objects.
    ///
    /// - Returns: the objects that must be released outside of the lock.
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

    /// The number of entries, including those of freed objects.
    var count: Int { lock.withLock { entries.count } }
}

// @unchecked Sendable because `lock` guards entries and limit.
extension PublisherTable: @unchecked Sendable {}
