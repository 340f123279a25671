/// The cells of a matrix in order. Cells are created on demand, because a few short lists can have
/// millions of combinations.
package struct MatrixCells: RandomAccessCollection, Sendable {
    private let axes: [MatrixAxis]
    package let count: Int

    /// Creates the combinations of the axes' values; the last axis changes fastest. Without axes,
    /// there is one cell.
    package init(_ axes: [MatrixAxis]) {
        self.axes = axes
        // The checker rejects a matrix with too many cells before any cell is created.
        count = Self.count(of: axes) ?? .max
    }

    package static func count(of axes: [MatrixAxis]) -> Int? {
        var count = 1
        for axis in axes {
            let (product, overflow) = count.multipliedReportingOverflow(by: axis.values.count)
            if overflow { return nil }
            count = product
        }
        return count
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    package subscript(place: Int) -> MatrixCell {
        precondition(indices.contains(place), "the matrix has \(count) cells")
        var left = place
        var values: [MatrixCell.Value] = []
        for axis in axes.reversed() {
            let (rest, index) = left.quotientAndRemainder(dividingBy: axis.values.count)
            values.append(.init(name: axis.name.value, value: axis.values[index].value))
            left = rest
        }
        return MatrixCell(values: values.reversed())
    }
}
