import Foundation

/// Compares objects by several sort descriptors, and reads the values of each object only once.
///
/// Objects are numbered in the order in which they are added. Each has a ``SortWord``, an integer
/// that decides most comparisons. The values are compared only if the words are equal or of
/// different kinds.
package struct SortOrder {
    private let criteria: [Criterion]
    /// The sort values of all objects, in the order of their numbers.
    private var values: ContiguousArray<Operand> = []
    /// The word of each object, from its first sort value.
    private var words: ContiguousArray<SortWord> = []

    /// A sort descriptor, with the data that is the same for all objects.
    private struct Criterion {
        let descriptor: NSSortDescriptor
        /// The key, if its value can be read without boxing it in `Any`. Nil for a key path, and
        /// with a custom comparator.
        let plainKey: String?

        init(_ descriptor: NSSortDescriptor) {
            self.descriptor = descriptor
            plainKey = descriptor.customComparator == nil ? descriptor.plainKey : nil
        }
    }

    package init(_ descriptors: [NSSortDescriptor]) { criteria = descriptors.map(Criterion.init) }

    package mutating func reserve(_ count: Int) {
        values.reserveCapacity(values.count + count * criteria.count)
        words.reserveCapacity(words.count + count)
    }

    /// Reads an object's values.
    ///
    /// - Returns: the object's number, for ``compare(_:_:)``.
    /// - Throws: ``PredicateEvaluationError`` for a key that the object does not have.
    package mutating func add(_ object: Any?) throws(PredicateEvaluationError) -> Int {
        if let object = object as? any OperandReadable { return try add(readable: object) }
        for criterion in criteria {
            values.append(try criterion.descriptor.sortValue(of: object))
        }
        return noteWord()
    }

    /// Reads the values of an object that can read keys without boxing.
    ///
    /// - Returns: the object's number, for ``compare(_:_:)``.
    /// - Throws: ``PredicateEvaluationError`` for a key that the object does not have.
    package mutating func add(
        readable object: any OperandReadable
    ) throws(PredicateEvaluationError) -> Int {
        for criterion in criteria {
            if let key = criterion.plainKey {
                values.append(try object.predicateOperand(forKey: key))
            } else {
                values.append(try criterion.descriptor.sortValue(of: object))
            }
        }
        return noteWord()
    }

    /// Adds the word of an object whose values were read. Returns the object's number.
    private mutating func noteWord() -> Int {
        let number = words.count
        let first = number * criteria.count
        assert(
            values.count == first + criteria.count,
            "the number of sort values differs from the number of criteria")
        words.append(
            criteria.isEmpty ? .unknown : SortWord(values[first], in: criteria[0].descriptor))
        return number
    }

    /// Compares two objects, which are identified by their numbers.
    ///
    /// - Throws: ``PredicateEvaluationError`` for values without an order.
    package func compare(
        _ left: Int, _ right: Int
    ) throws(PredicateEvaluationError) -> ComparisonResult {
        if let known = words[left].order(words[right]) { return known }
        return try compareValues(left, right)
    }

    private func compareValues(
        _ left: Int, _ right: Int
    ) throws(PredicateEvaluationError) -> ComparisonResult {
        let width = criteria.count
        for index in criteria.indices {
            let result = try criteria[index].descriptor.compareSortValues(
                values[left * width + index], values[right * width + index])
            if result != .orderedSame { return result }
        }
        return .orderedSame
    }

    /// Returns the objects in the order of the descriptors; equal objects keep their relative
    /// order.
    ///
    /// - Throws: ``PredicateEvaluationError`` for unknown keys and values without an order.
    package static func sorted<Element>(
        _ objects: [Element], by descriptors: [NSSortDescriptor]
    ) throws(PredicateEvaluationError) -> [Element] {
        guard !descriptors.isEmpty, objects.count > 1 else { return objects }
        var order = SortOrder(descriptors)
        order.reserve(objects.count)
        for object in objects { _ = try order.add(object) }
        return try order.sorted(Array(objects.indices)) { $0 < $1 }.map { objects[$0] }
    }

    /// Sorts objects, which are identified by their numbers.
    ///
    /// - Parameter isEarlier: whether the first of two equal objects comes first.
    /// - Throws: ``PredicateEvaluationError`` for values without an order.
    package func sorted(
        _ numbers: [Int], equals isEarlier: (Int, Int) -> Bool
    ) throws(PredicateEvaluationError) -> [Int] {
        // Each element has an object's number and its sort word, so most comparisons read only this
        // array.
        var marked = numbers.map { (word: words[$0], number: $0) }
        var failure: PredicateEvaluationError?
        marked.sort { left, right in
            if let known = left.word.order(right.word) { return known == .orderedAscending }
            guard failure == nil else { return left.number < right.number }
            do throws(PredicateEvaluationError) {
                let result = try compareValues(left.number, right.number)
                if result != .orderedSame { return result == .orderedAscending }
            } catch {
                failure = error
            }
            return isEarlier(left.number, right.number)
        }
        if let failure { throw failure }
        return marked.map(\.number)
    }
}
