import BenchResults

/// The result of one run of the engine or the C baseline.
struct SideRun {
    var nanoseconds: Int64
    var checksum: UInt64
    var counts = BenchCounts()
    var statements: [StatementCount] = []
    var figures: [BenchFigure] = []
}

/// An error of the measurement itself. The tool or the machine caused it, and not an input.
package struct MeasurementError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
