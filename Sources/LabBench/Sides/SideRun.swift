import LabResults

/// The result of one run of either side.
struct SideRun {
    var nanoseconds: Int64
    var checksum: UInt64
    var counts = BenchCounts()
    var statements: [StatementCount] = []
    var figures: [BenchFigure] = []
}

/// The reason why a measurement failed: a defect of the tool or its machine, not of an input.
package struct MeasurementError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
