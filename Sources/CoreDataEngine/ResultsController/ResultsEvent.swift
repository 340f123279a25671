import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// What happened to the members of a list and to those that come to it, before it is known where
/// they stand.
///
/// Made by `ResultsTracker` of what a context tells. A *member* is a number: first those of the
/// old list, in its order, then those that are added.
struct ResultsEvent {
    enum Fate: UInt8 {
        case stays
        /// Was touched, and still belongs.
        case changes
        /// Stands elsewhere now, or in another section.
        case moves
        case leaves
        case comes
    }

    /// Of each member.
    private(set) var fates: ContiguousArray<Fate>
    /// The members behind those of the old list.
    private(set) var added: ContiguousArray<NSManagedObject> = []

    /// Judges every touched object once.
    ///
    /// - Parameter gone: objects that belong to nothing any more, whatever else is told of them.
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

    /// Notes that a changed member does not fit any more where it stands.
    mutating func move(_ member: Int) {
        assert(fates[member] == .changes, "a member moved that was not touched")
        fates[member] = .moves
    }
}

/// Objects by identity, and whether they belong to the results.
private struct Candidates {
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var objects: ContiguousArray<(object: NSManagedObject, comes: Bool)> = []

    init(capacity: Int) {
        numbers.reserveCapacity(capacity)
        objects.reserveCapacity(capacity)
    }

    var isEmpty: Bool { objects.isEmpty }

    /// Notes an object as one that does not belong.
    ///
    /// - Returns: whether nothing was known of it.
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

    /// Notes that the object that was noted last belongs.
    mutating func acceptLast() { objects[objects.count - 1].comes = true }

    /// Whether a member of the list belongs to it still; nil if nothing is known of it.
    mutating func take(_ object: NSManagedObject) -> Bool? {
        guard let number = numbers[ObjectIdentifier(object)] else { return nil }
        defer { objects[number].comes = false }
        return objects[number].comes
    }

    /// Those that belong and were not members.
    var remaining: ContiguousArray<NSManagedObject> {
        ContiguousArray(objects.lazy.filter(\.comes).map(\.object))
    }
}
