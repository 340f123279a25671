import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Computes the order of the results after an event, for `ResultsChange`.
///
/// A member is represented by its number in the `ResultsEvent`, so sorting and merging move only
/// integers.
struct ResultsArrangement {
    private let scope: ResultsScope
    private let objects: ContiguousArray<NSManagedObject>
    private var order: ObjectOrder
    private(set) var event: ResultsEvent
    /// The section name of each member; nil for results without sections.
    private var sections: ContiguousArray<String>?
    /// Members that keep their positions, in order.
    private var kept = ContiguousArray<Int>()
    private var loose: [Int] = []

    init(_ event: ResultsEvent, _ scope: ResultsScope, _ old: ResultsList) {
        self.event = event
        self.scope = scope
        objects = old.objects + event.added
        order = ObjectOrder(objects, by: scope.sortDescriptors)
        if scope.sectionKeys != nil { sections = old.sectionNames }
    }

    /// Keeps the members that are in order at their positions, and inserts the others.
    ///
    /// - Returns: the members of the new list, in order.
    /// - Throws: an error for values without an order or a name.
    mutating func arrange() throws(PredicateEvaluationError) -> ContiguousArray<Int> {
        let changed = event.fates.indices.filter { event.fates[$0] == .changes }
        kept = ContiguousArray(
            (0..<objects.count - event.added.count).filter { event.fates[$0] != .leaves })
        if !changed.isEmpty { try keep(changed) }
        var rest = loose
        for member in objects.count - event.added.count..<objects.count {
            if sections != nil { sections?.append(try scope.section(of: objects[member])) }
            rest.append(member)
        }
        if rest.isEmpty { return kept }
        return try merged(try order.sorted(rest))
    }

    /// The list of members in their order.
    ///
    /// - Throws: an error if the order separates objects of a section.
    func list(of members: ContiguousArray<Int>) throws(CoreDataError) -> ResultsList {
        try ResultsList(
            ContiguousArray(members.map { objects[$0] }),
            sections: sections.map { names in ContiguousArray(members.map { names[$0] }) })
    }

    // MARK: Members that stay

    private enum Standing: UInt8 {
        case settled
        /// The member has changed, but not in a value that affects the order.
        case calm
        case restless
    }

    /// Keeps every changed member that is still in order. Members whose sort values are unchanged
    /// are checked first.
    private mutating func keep(_ changed: [Int]) throws(PredicateEvaluationError) {
        var standing = ContiguousArray(repeating: Standing.settled, count: objects.count)
        for member in changed {
            standing[member] = scope.keepsOrder(objects[member]) ? .calm : .restless
        }
        for group in [Standing.calm, .restless] { try settle(group, &standing) }
        assert(standing.allSatisfy { $0 == .settled }, "a changed member was not checked")
    }

    /// Compares the members of a group with their neighbours, except for neighbours that are still
    /// to be checked.
    private mutating func settle(
        _ group: Standing, _ standing: inout ContiguousArray<Standing>
    ) throws(PredicateEvaluationError) {
        let members = kept
        kept.removeAll(keepingCapacity: true)
        var last: Int?
        var next = 0
        for (index, member) in members.enumerated() {
            guard standing[member] == group else {
                kept.append(member)
                if standing[member] == .settled { last = member }
                continue
            }
            next = max(next, index + 1)
            while next < members.count, standing[members[next]] != .settled { next += 1 }
            let hasNewSection = try renewSection(of: member)
            let follower = next < members.count ? members[next] : nil
            let fits = try fits(member, between: last, and: follower)
            if !fits || hasNewSection { event.move(member) }
            if fits {
                kept.append(member)
                last = member
            } else {
                loose.append(member)
            }
        }
        for member in members where standing[member] == group { standing[member] = .settled }
    }

    private mutating func renewSection(of member: Int) throws(PredicateEvaluationError) -> Bool {
        guard sections != nil else { return false }
        let (old, new) = (sections?[member], try scope.section(of: objects[member]))
        sections?[member] = new
        return old != new
    }

    private mutating func fits(
        _ member: Int, between last: Int?, and next: Int?
    ) throws(PredicateEvaluationError) -> Bool {
        if let last, try !order.areOrdered(last, member) { return false }
        guard let next else { return true }
        return try order.areOrdered(member, next)
    }

    // MARK: Members that are inserted

    /// Merges sorted members into the kept members. A member follows the kept members that are
    /// equal to it.
    private mutating func merged(
        _ rest: [Int]
    ) throws(PredicateEvaluationError) -> ContiguousArray<Int> {
        var result = ContiguousArray<Int>()
        result.reserveCapacity(kept.count + rest.count)
        var start = 0
        for (index, member) in rest.enumerated() {
            let end = try place(of: member, from: start, among: rest.count - index)
            result.append(contentsOf: kept[start..<end])
            result.append(member)
            start = end
        }
        result.append(contentsOf: kept[start...])
        return result
    }

    /// The position of the first kept member, from `start` on, that must follow the given member.
    ///
    /// The search advances in growing steps, and then bisects between the last two positions. So
    /// inserting one member takes a binary search, and inserting many members takes one pass over
    /// the list.
    ///
    /// - Parameter count: the number of members that are still to be inserted.
    private mutating func place(
        of member: Int, from start: Int, among count: Int
    ) throws(PredicateEvaluationError) -> Int {
        var (low, high) = (start, kept.count)
        var step = max(1, (high - low) / count)
        while low + step < high {
            guard try order.areOrdered(kept[low + step - 1], member) else {
                high = low + step - 1
                break
            }
            low += step
            step *= 2
        }
        while low < high {
            let middle = (low + high) / 2
            if try order.areOrdered(kept[middle], member) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
