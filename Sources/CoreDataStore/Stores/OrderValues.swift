/// The order numbers of the members of an ordered relationship.
///
/// They are assigned as in Core Data's own stores. The first member has the number 2048. An
/// appended member has 1024 more than the last one, and a member between two others has a number in
/// the middle. If no number is free there, as few neighbours as possible get new numbers.
package enum OrderValues {
    package static let first: Int64 = 2048
    package static let step: Int64 = 1024

    package struct Change: Equatable, Sendable {
        package let index: Int
        package let value: Int64

        package init(index: Int, value: Int64) {
            self.index = index
            self.value = value
        }
    }

    /// The number at a position of a list to which members were only appended.
    package static func value(at index: Int) -> Int64 { first + Int64(index) * step }

    /// Returns the numbers that must be written to store an order of the members.
    ///
    /// - Parameters:
    ///   - order: the keys of members in the wanted order.
    ///   - places: the members' present numbers.
    ///   - unplaced: all members without a number. Members that the order does not contain are
    ///     moved to the end.
    package static func changes(
        to order: [Int64], places: [Int64: Int64], unplaced: [Int64]
    ) -> [(key: Int64, value: Int64)] {
        let named = Set(order)
        let all = order + unplaced.filter { !named.contains($0) }
        return changes(all.map { places[$0] }).map { (all[$0.index], $0.value) }
    }

    /// The members that need a new number.
    ///
    /// - Parameter known: each member's present number, in the wanted order; nil for a member
    ///   without a number.
    package static func changes(_ known: [Int64?]) -> [Change] {
        var kept = longestIncreasing(known)
        var result = known.map { $0 ?? 0 }
        var index = 0
        while index < known.count {
            if kept[index] {
                index += 1
                continue
            }
            let end = kept[index...].firstIndex(of: true) ?? known.count
            index = fill(index..<end, &result, &kept)
        }
        assert(
            zip(result, result.dropFirst()).allSatisfy { $0 < $1 }, "the numbers are not in order")
        return result.indices.compactMap { index in
            known[index] == result[index] ? nil : Change(index: index, value: result[index])
        }
    }

    /// Assigns numbers to the members in a gap, and returns the end of the gap. The gap is widened
    /// until enough numbers are free.
    private static func fill(_ gap: Range<Int>, _ values: inout [Int64], _ kept: inout [Bool])
        -> Int
    {
        var gap = gap
        while true {
            let low = gap.lowerBound > 0 ? values[gap.lowerBound - 1] : 0
            guard gap.upperBound < values.count else {
                append(gap, after: gap.lowerBound > 0 ? low : nil, &values)
                break
            }
            let room = values[gap.upperBound] - low
            let count = Int64(gap.count)
            if room > count {
                for (place, index) in gap.enumerated() {
                    values[index] = low + room * Int64(place + 1) / (count + 1)
                }
                break
            }
            // The gap is widened by one neighbour on each side.
            let end = kept[(gap.upperBound + 1)...].firstIndex(of: true) ?? values.count
            gap = max(gap.lowerBound - 1, 0)..<end
        }
        for index in gap { kept[index] = true }
        return gap.upperBound
    }

    private static func append(_ gap: Range<Int>, after low: Int64?, _ values: inout [Int64]) {
        var next = low.map { $0.addingReportingOverflow(step).partialValue } ?? first
        for index in gap {
            values[index] = next
            next = next.addingReportingOverflow(step).partialValue
        }
    }

    /// The members that keep their numbers, a longest increasing subsequence.
    private static func longestIncreasing(_ known: [Int64?]) -> [Bool] {
        var tails: [Int] = []
        var previous = [Int?](repeating: nil, count: known.count)
        for (index, value) in known.enumerated() {
            // Invalid numbers in damaged files count as missing.
            guard let value, value > 0, value < 1 << 52 else { continue }
            let place = tails.partitionPoint { known[$0, default: 0] < value }
            previous[index] = place > 0 ? tails[place - 1] : nil
            if place == tails.count { tails.append(index) } else { tails[place] = index }
        }
        var kept = [Bool](repeating: false, count: known.count)
        var last = tails.last
        while let index = last {
            kept[index] = true
            last = previous[index]
        }
        return kept
    }
}

extension Array where Element == Int64? {
    fileprivate subscript(index: Int, default value: Int64) -> Int64 { self[index] ?? value }
}

extension Array where Element == Int {
    /// The first index whose element does not satisfy the predicate. All elements that satisfy it
    /// must precede the others.
    fileprivate func partitionPoint(_ passes: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if passes(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
