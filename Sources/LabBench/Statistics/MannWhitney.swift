import Glibc

/// The two-sided Mann–Whitney U test, with which times are judged.
package enum MannWhitney {
    /// The p-value. It is the probability that ranks differ at least this much although both groups
    /// have the same distribution.
    ///
    /// It is exact for small groups without ties. For other groups, it is the normal approximation
    /// with corrections for ties and continuity. It is 1 if a group is empty.
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

    /// The ranks from 1, and the sum of t³ − t over the ties. Equal values have the mean of their
    /// ranks.
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

    /// The fraction of all orders for which U is at most `u`.
    private static func exact(_ u: Double, _ n: Int, _ m: Int) -> Double {
        // counts[j][u]: the number of orders of i + j values, of which j are from the second group,
        // with the statistic U = u.
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
