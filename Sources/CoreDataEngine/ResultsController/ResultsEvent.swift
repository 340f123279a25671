import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// The effect of a context's changes on a list of results, before the new positions are known.
///
/// `ResultsTracker` creates it from a notification of the context. It numbers the *members*: first
/// those of the old list, in their order, then the added ones.
struct ResultsEvent {
    enum Fate: UInt8 {
        case stays
        /// The object was changed, and still matches.
        case changes
        /// The object has another position or section now.
        case moves
        case leaves
        case comes
    }

    private(set) var fates: ContiguousArray<Fate>
    /// The added members, numbered after the members of the old list.
    private(set) var added: ContiguousArray<NSManagedObject> = []

    /// Evaluates every changed object once.
    ///
    /// - Parameter gone: objects that no longer match, even if they are also reported as changed.
    init(
        touched: [Set<NSManagedObject>], gone: [Set<NSManagedObject>], _ list: ResultsList,
        _ scope: ResultsScope
    ) throws(PredicateEvaluationError) {
        var candidates = Candidates(capacity: touched.reduce(0) { $0 + $1.count })
        for object in gone.joined() where scope.covers(object.layout) {
            candidates.note(object)
        }
        for object in touched.joined() where scope.covers(object.layout) {
            if candidates.note(object), try scope.holds(object) { candidates.acceptLast() }
        }
        fates = ContiguousArray(repeating: .stays, count: list.objects.count)
        guard !candidates.isEmpty else { return }
        for index in list.objects.indices {
            guard let belongs = candidates.take(list.objects[index]) else { continue }
            fates[index] = belongs ? .changes : .leaves
        }
        added = candidates.remaining
        fates.append(contentsOf: repeatElement(.comes, count: added.count))
    }

    var isEmpty: Bool { added.isEmpty && fates.allSatisfy { $0 == .stays } }

    /// Records that a changed member is no longer in order at its position.
    mutating func move(_ member: Int) {
        assert(fates[member] == .changes, "an unchanged member was moved")
        fates[member] = .moves
    }
}

/// The changed objects, and whether each matches the request.
private struct Candidates {
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var objects: ContiguousArray<(object: NSManagedObject, comes: Bool)> = []

    init(capacity: Int) {
        numbers.reserveCapacity(capacity)
        objects.reserveCapacity(capacity)
    }

    var isEmpty: Bool { objects.isEmpty }

    /// Records an object, at first as one that does not match the request.
    ///
    /// - Returns: whether the object was not recorded before.
    @discardableResult
    mutating func note(_ object: NSManagedObject) -> Bool {
        let id = ObjectIdentifier(object)
        if let known = numbers.updateValue(objects.count, forKey: id) {
            numbers[id] = known
            return false
        }
        objects.append((object, comes: false))
        return true
    }

    mutating func acceptLast() { objects[objects.count - 1].comes = true }

    /// Returns whether a member of the old list still matches, and removes it from `remaining`. Nil
    /// if it was not recorded.
    mutating func take(_ object: NSManagedObject) -> Bool? {
        guard let number = numbers[ObjectIdentifier(object)] else { return nil }
        defer { objects[number].comes = false }
        return objects[number].comes
    }

    /// The matching objects that the old list does not contain.
    var remaining: ContiguousArray<NSManagedObject> {
        ContiguousArray(objects.lazy.filter(\.comes).map(\.object))
    }
}
