import Foundation

/// The order of several descriptors, over values that are read once for each object.
///
/// Fetches in memory, results controllers and sorted collections use it.
package struct SortOrder {
    private let descriptors: [NSSortDescriptor]
    /// The sort values of object after object.
    private var values: ContiguousArray<Operand> = []

    package init(_ descriptors: [NSSortDescriptor]) { self.descriptors = descriptors }

    /// Makes room for the values of so many objects more.
    package mutating func reserve(_ count: Int) {
        values.reserveCapacity(values.count + count * descriptors.count)
    }

    /// Reads an object's values.
    ///
    /// - Returns: where they stand, for ``compare(_:_:)``.
    /// - Throws: ``PredicateEvaluationError`` for a key that the object does not have.
    package mutating func add(_ object: Any?) throws(PredicateEvaluationError) -> Int {
        let place = values.count
        for descriptor in descriptors { values.append(try descriptor.sortValue(of: object)) }
        return place
    }

    /// Which of two objects comes first, by the places of their values.
    ///
    /// - Throws: ``PredicateEvaluationError`` for values without an order.
    package func compare(
        _ left: Int, _ right: Int
    ) throws(PredicateEvaluationError) -> ComparisonResult {
        for index in descriptors.indices {
            let result = try descriptors[index].compareSortValues(
                values[left + index], values[right + index])
            if result != .orderedSame { return result }
        }
        return .orderedSame
    }

    /// Returns the objects in the order of the descriptors; equal ones keep their places.
    ///
    /// - Throws: ``PredicateEvaluationError`` for unknown keys and values without an order.
    package static func sorted<Element>(
        _ objects: [Element], by descriptors: [NSSortDescriptor]
    ) throws(PredicateEvaluationError) -> [Element] {
        guard !descriptors.isEmpty, objects.count > 1 else { return objects }
        var order = SortOrder(descriptors)
        order.reserve(objects.count)
        for object in objects { _ = try order.add(object) }
        return try order.permutation(objects.count).map { objects[$0] }
    }

    private func permutation(_ count: Int) throws(PredicateEvaluationError) -> [Int] {
        let width = descriptors.count
        var failure: PredicateEvaluationError?
        let sorted = (0..<count).sorted { left, right in
            guard failure == nil else { return left < right }
            do throws(PredicateEvaluationError) {
                let result = try compare(left * width, right * width)
                if result != .orderedSame { return result == .orderedAscending }
            } catch {
                failure = error
            }
            return left < right
        }
        if let failure { throw failure }
        return sorted
    }
}
