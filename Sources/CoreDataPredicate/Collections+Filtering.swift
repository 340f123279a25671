import CoreDataTrace
import Foundation

extension Sequence {
    /// Returns the elements for which a predicate holds.
    ///
    /// - Precondition: As for ``NSPredicate/evaluate(with:)``.
    public func filtered(using predicate: NSPredicate) -> [Element] {
        filter { predicate.evaluate(with: $0) }
    }

    /// Returns the elements in the order of the descriptors; equal elements keep their relative
    /// order.
    ///
    /// - Precondition: As for ``NSSortDescriptor/compare(_:to:)``.
    public func sorted(using descriptors: [NSSortDescriptor]) -> [Element] {
        do {
            return try SortOrder.sorted(Array(self), by: descriptors)
        } catch {
            trap("sorting by \(descriptors): \(error)")
        }
    }
}

extension NSArray {
    /// Returns the elements for which a predicate holds.
    public func filtered(using predicate: NSPredicate) -> [Any] {
        map { $0 }.filtered(using: predicate)
    }

    /// Returns the elements in the order of the descriptors.
    public func sortedArray(using descriptors: [NSSortDescriptor]) -> [Any] {
        map { $0 }.sorted(using: descriptors)
    }
}

extension NSMutableArray {
    /// Removes the elements for which a predicate does not hold.
    public func filter(using predicate: NSPredicate) { setArray(filtered(using: predicate)) }

    /// Sorts the elements in the order of the descriptors.
    public func sort(using descriptors: [NSSortDescriptor]) {
        setArray(sortedArray(using: descriptors))
    }
}

extension NSSet {
    /// Returns the elements for which a predicate holds.
    public func filtered(using predicate: NSPredicate) -> Set<AnyHashable> {
        Set(allObjects.filtered(using: predicate).compactMap { $0 as? AnyHashable })
    }

    /// Returns the elements in the order of the descriptors.
    public func sortedArray(using descriptors: [NSSortDescriptor]) -> [Any] {
        allObjects.sorted(using: descriptors)
    }
}

extension NSMutableSet {
    /// Removes the elements for which a predicate does not hold.
    public func filter(using predicate: NSPredicate) {
        for element in allObjects where !predicate.evaluate(with: element) { remove(element) }
    }
}

extension NSOrderedSet {
    /// Returns the elements for which a predicate holds, in their order.
    public func filtered(using predicate: NSPredicate) -> NSOrderedSet {
        NSOrderedSet(array: array.filtered(using: predicate))
    }

    /// Returns the elements in the order of the descriptors.
    public func sortedArray(using descriptors: [NSSortDescriptor]) -> [Any] {
        array.sorted(using: descriptors)
    }
}

extension NSMutableOrderedSet {
    /// Removes the elements for which a predicate does not hold.
    public func filter(using predicate: NSPredicate) {
        for element in array where !predicate.evaluate(with: element) { remove(element) }
    }

    /// Sorts the elements in the order of the descriptors.
    public func sort(using descriptors: [NSSortDescriptor]) {
        var places: [AnyHashable: Int] = [:]
        for (place, element) in sortedArray(using: descriptors).enumerated() {
            if let element = element as? AnyHashable { places[element] = place }
        }
        func place(_ element: Any) -> Int { (element as? AnyHashable).flatMap { places[$0] } ?? 0 }
        sort { left, right in
            if place(left) == place(right) { return .orderedSame }
            return place(left) < place(right) ? .orderedAscending : .orderedDescending
        }
    }
}
