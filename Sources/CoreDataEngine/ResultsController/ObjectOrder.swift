import CoreDataPredicate
import CoreDataStore

/// The order of a results controller's objects during one event; each object's values are read
/// once, when it is compared first.
struct ObjectOrder {
    private var order: SortOrder
    private var places: [ObjectIdentifier: Int] = [:]

    init(_ descriptors: [NSSortDescriptor]) { order = SortOrder(descriptors) }

    private mutating func place(
        of object: NSManagedObject
    ) throws(PredicateEvaluationError) -> Int {
        if let known = places[ObjectIdentifier(object)] { return known }
        let place = try order.add(object)
        places[ObjectIdentifier(object)] = place
        return place
    }

    /// Whether two objects may stand one behind the other.
    mutating func areOrdered(
        _ first: NSManagedObject, _ second: NSManagedObject
    ) throws(PredicateEvaluationError) -> Bool {
        let (left, right) = (try place(of: first), try place(of: second))
        return try order.compare(left, right) != .orderedDescending
    }

    /// The entries in their order, equal ones in that of their making.
    mutating func sorted(
        _ entries: [ResultsList.Entry]
    ) throws -> [ResultsList.Entry] {
        var placed: [(entry: ResultsList.Entry, place: Int)] = []
        placed.reserveCapacity(entries.count)
        order.reserve(entries.count)
        for entry in entries { placed.append((entry, try place(of: entry.object))) }
        return try placed.sorted { first, second in
            switch try order.compare(first.place, second.place) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame: Self.isEarlier(first.entry.object, second.entry.object)
            }
        }.map(\.entry)
    }

    private static func isEarlier(_ first: NSManagedObject, _ second: NSManagedObject) -> Bool {
        let (first, second) = (first.objectKey, second.objectKey)
        if first.isTemporary != second.isTemporary { return second.isTemporary }
        return abs(first.key) < abs(second.key)
    }
}
