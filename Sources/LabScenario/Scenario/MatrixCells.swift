/// The cells of a matrix in order, each made when it is asked for: the product of a few short
/// lists may be long.
package struct MatrixCells: RandomAccessCollection, Sendable {
    private let axes: [MatrixAxis]
    /// The number of cells.
    package let count: Int

    /// Every combination of the axes' values, the last one changing fastest; one cell without any.
    package init(_ axes: [MatrixAxis]) {
        self.axes = axes
        // A longer matrix is refused before somebody walks it.
        count = Self.count(of: axes) ?? .max
    }

    /// How many combinations there are; nil for more than can be counted.
    package static func count(of axes: [MatrixAxis]) -> Int? {
        var count = 1
        for axis in axes {
            let (product, overflow) = count.multipliedReportingOverflow(by: axis.values.count)
            if overflow { return nil }
            count = product
        }
        return count
    }

    /// The place of the first cell.
    package var startIndex: Int { 0 }
    /// The place behind the last cell.
    package var endIndex: Int { count }

    /// The cell at a place.
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
