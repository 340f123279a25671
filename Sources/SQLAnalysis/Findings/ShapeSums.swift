import LabResults

/// The number of executions, the total time and the number of rows of each statement. Statements
/// with the same text without values (the shape) count as one.
struct ShapeSums: Sendable {
    struct Sum: Sendable {
        var count = 0
        var rows = 0
        /// The numbers of executions whose rows and whose time are known.
        var rowsKnown = 0
        var timesKnown = 0
        var nanoseconds: UInt64 = 0
        var worstNanoseconds: UInt64 = 0
        var line = 0
        var isTruncated = false
    }

    private(set) var sums: [Sum] = []

    mutating func add(_ statement: LogStatement) {
        while sums.count <= statement.shape { sums.append(Sum()) }
        var sum = sums[statement.shape]
        sum.count += 1
        if let rows = statement.rows {
            sum.rows += rows
            sum.rowsKnown += 1
        }
        if sum.line == 0 || statement.line < sum.line, sum.worstNanoseconds == 0 {
            sum.line = statement.line
        }
        if let time = statement.time {
            sum.timesKnown += 1
            sum.nanoseconds &+= time
            let isEarlier = time == sum.worstNanoseconds && statement.line < sum.line
            if time > sum.worstNanoseconds || isEarlier {
                sum.worstNanoseconds = time
                sum.line = statement.line
            }
        }
        sum.isTruncated = sum.isTruncated || statement.isTruncated
        sums[statement.shape] = sum
    }

    /// The statements that were executed, the most expensive first.
    func shapes(
        _ catalog: ShapeCatalog, _ names: EntityNames, plans: [Int: [String]]
    ) -> [SQLShape] {
        let all = sums.indices.filter { sums[$0].count > 0 }.sorted { one, other in
            let (left, right) = (sums[one], sums[other])
            if left.nanoseconds != right.nanoseconds { return left.nanoseconds > right.nanoseconds }
            return left.count == right.count ? one < other : left.count > right.count
        }
        return all.map { index in
            let (sum, shape) = (sums[index], catalog[index])
            return SQLShape(
                kind: shape.kind, text: shape.text, entity: names.shown(table: shape.table),
                count: sum.count, rows: sum.rows, rowsKnown: sum.rowsKnown,
                nanoseconds: sum.nanoseconds, timesKnown: sum.timesKnown,
                worstNanoseconds: sum.worstNanoseconds, line: sum.line,
                isTruncated: sum.isTruncated, plan: plans[index] ?? [])
        }
    }
}
