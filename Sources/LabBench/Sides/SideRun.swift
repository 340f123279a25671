import LabResults

/// One run of one side.
///
/// Both sides answer with it.
struct SideRun {
    var nanoseconds: Int64
    var checksum: UInt64
    var counts = BenchCounts()
    var statements: [StatementCount] = []
    var figures: [BenchFigure] = []
}

/// Why a measurement could not be made: a defect of the tool or its machine, not of an input.
package struct MeasurementError: Error, Sendable, Equatable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
