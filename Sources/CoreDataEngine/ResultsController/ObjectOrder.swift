import CoreDataPredicate
import CoreDataStore

/// Compares the members of a results controller while an event is processed. The values of a member
/// are read once, at its first comparison.
struct ObjectOrder {
    private let objects: ContiguousArray<NSManagedObject>
    private var order: SortOrder
    /// The index of each member in `order`. Negative if the member has not been compared yet.
    private var numbers: ContiguousArray<Int32>
    private var members: ContiguousArray<Int32> = []

    init(_ objects: ContiguousArray<NSManagedObject>, by descriptors: [NSSortDescriptor]) {
        self.objects = objects
        order = SortOrder(descriptors)
        numbers = ContiguousArray(repeating: -1, count: objects.count)
    }

    private mutating func number(of member: Int) throws(PredicateEvaluationError) -> Int {
        if numbers[member] >= 0 { return Int(numbers[member]) }
        let number = try order.add(readable: objects[member])
        numbers[member] = Int32(number)
        members.append(Int32(member))
        return number
    }

    mutating func areOrdered(
        _ first: Int, _ second: Int
    ) throws(PredicateEvaluationError) -> Bool {
        let (left, right) = (try number(of: first), try number(of: second))
        return try order.compare(left, right) != .orderedDescending
    }

    /// The members in their order. Equal members are in the order of their creation.
    mutating func sorted(_ unsorted: [Int]) throws(PredicateEvaluationError) -> [Int] {
        order.reserve(unsorted.count)
        var unsortedNumbers: [Int] = []
        unsortedNumbers.reserveCapacity(unsorted.count)
        for member in unsorted { unsortedNumbers.append(try number(of: member)) }
        return try order.sorted(unsortedNumbers) { left, right in
            Self.isEarlier(objects[Int(members[left])], objects[Int(members[right])])
        }.map { Int(members[$0]) }
    }

    private static func isEarlier(_ first: NSManagedObject, _ second: NSManagedObject) -> Bool {
        let (first, second) = (first.objectKey, second.objectKey)
        if first.isTemporary != second.isTemporary { return second.isTemporary }
        return abs(first.key) < abs(second.key)
    }
}
