import Foundation
import LabResults
import LabRunner
import LabSchedule
import Testing

/// The reduced walk against brute force, on real scenarios and the real engine.
@Suite struct ScenarioReductionTests {
    static let cells: Result<[LoadedCell], any Error> = Result {
        try suite().smallCells([scenarios], atMost: 100)
    }

    @Test
    func `on every small scenario of the catalogue reduction gives what brute force gives`()
        throws
    {
        let cells = try Self.cells.get()
        #expect(cells.count > 40)
        var explored = 0
        var reduced = 0
        for cell in cells {
            let whole = try suite().with(.exhaustive).explore(cell)
            let fewer = try suite().with(.reduced).explore(cell)
            #expect(whole.isComplete && fewer.isComplete)
            #expect(fewer.outcomes == whole.outcomes, "\(cell.label): outcomes and their counts")
            #expect(fewer.findings == whole.findings, "\(cell.label): findings")
            #expect(fewer.represented == whole.explored, "\(cell.label)")
            explored += whole.explored
            reduced += fewer.explored
        }
        #expect(reduced < explored, "\(reduced) of \(explored)")
    }
}
