import Glibc

/// The two-sided Mann–Whitney U test, for the judgement of times.
package enum MannWhitney {
    /// The probability of ranks at least as different as these if both groups have one
    /// distribution.
    ///
    /// It is exact for small groups without ties; otherwise it is the normal approximation with
    /// corrections for ties and continuity. 1 if a group is empty.
    package static func chance(_ first: [Double], _ second: [Double]) -> Double {
        guard !first.isEmpty, !second.isEmpty else { return 1 }
        let all = first + second
        let (ranks, ties) = ranks(all)
        let (n, m) = (Double(first.count), Double(second.count))
        let sum = ranks.prefix(first.count).reduce(0, +)
        let low = min(sum - n * (n + 1) / 2, n * m - (sum - n * (n + 1) / 2))
        if ties == 0, first.count <= exactMax, second.count <= exactMax {
            return min(1, 2 * exact(low, first.count, second.count))
        }
        let total = n + m
        let variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
        guard variance > 0 else { return 1 }
        let z = max(0, abs(low - n * m / 2) - 0.5) / variance.squareRoot()
        return min(1, erfc(z / 2.0.squareRoot()))
    }

    /// The maximum group size for the exact distribution.
    private static let exactMax = 30

    /// The ranks from 1, with equal values sharing their mean, and the sum of t³ − t over the ties.
    private static func ranks(_ values: [Double]) -> (ranks: [Double], ties: Double) {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = [Double](repeating: 0, count: values.count)
        var ties = 0.0
        var start = 0
        while start < order.count {
            var end = start
            while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
            let size = Double(end - start)
            for index in start..<end { ranks[order[index]] = Double(start) + (size + 1) / 2 }
            ties += size * size * size - size
            start = end
        }
        return (ranks, ties)
    }

    /// The share of all orders whose U is at most `u`.
    private static func exact(_ u: Double, _ n: Int, _ m: Int) -> Double {
        // counts[j][u]: orders of i values of the first group among j of the second that have U.
        var counts = [[Double]](repeating: [1], count: m + 1)
        for i in 1...n {
            var next = [[Double]]()
            for j in 0...m {
                var row = [Double](repeating: 0, count: i * j + 1)
                for (value, count) in counts[j].enumerated() where value + j <= i * j {
                    row[value + j] += count
                }
                if j > 0 { for (value, count) in next[j - 1].enumerated() { row[value] += count } }
                next.append(row)
            }
            counts = next
        }
        let row = counts[m]
        return row.prefix(Int(u) + 1).reduce(0, +) / row.reduce(0, +)
    }
}
