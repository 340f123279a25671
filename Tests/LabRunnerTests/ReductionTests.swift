import Foundation
import LabRunner
import LabSchedule
import Testing

/// Compares the reduced walk with all schedules of scenarios on the engine.
@Suite struct ScenarioReductionTests {
    /// Small cells of the catalogue. With `FAULTLINE_THOROUGH` they include larger ones.
    static let cells: Result<[LoadedCell], any Error> = Result {
        let isThorough = ProcessInfo.processInfo.environment["FAULTLINE_THOROUGH"] != nil
        return try suite().smallCells([scenarios], atMost: isThorough ? 100 : 30)
    }

    @Test
    func `reduction has brute force's results on every small scenario of the catalogue`()
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

    @Test(arguments: try ScenarioReductionTests.waits())
    func `reduction has brute force's results if threads wait for each other`(
        file: String
    ) throws {
        let cells = try suite().smallCells(
            ["\(scenarios)/deadlocks/\(file)"], atMost: 0, includesBaton: true)
        #expect(!cells.isEmpty)
        for cell in cells {
            let whole = try suite().with(.exhaustive).explore(cell)
            let fewer = try suite().with(.reduced).explore(cell)
            #expect(whole.isComplete && fewer.isComplete)
            #expect(fewer.outcomes == whole.outcomes, "\(cell.label): outcomes and their counts")
            #expect(fewer.findings == whole.findings, "\(cell.label): findings")
            #expect(fewer.represented == whole.explored, "\(cell.label)")
        }
    }

    /// Two threads fetch one row. The later one finds the row in the cache and takes no lock.
    private static let looking = """
        name: written
        about: Two threads look for one row.
        model: {entities: {Item: {attributes: {n: integer64}}}}
        mode: baton
        contexts: {A: {}, B: {}}
        setup: ["insert Item as o with n = 1"]
        sessions:
          sa: {context: A, steps: {a1: read o.n -> a}}
          sb: {context: B, steps: {b1: read o.n -> b}}
        observe: {a: value a, b: value b}
        outcomes: [{grade: acceptable, is: {}, because: Anything.}]

        """

    @Test func `whether a row is already cached is a race between its readers`() throws {
        try withScenario(Self.looking) { path in
            let cells = try suite().smallCells([path], atMost: 0, includesBaton: true)
            let cell = try #require(cells.first)
            let whole = try suite().with(.exhaustive).explore(cell)
            let fewer = try suite().with(.reduced).explore(cell)
            #expect(fewer.represented == whole.explored)
            #expect(fewer.explored > 2, "one after the other, and both before either is known")
        }
    }

    /// One session enters the queue of its context twice. A child of the context waits for the
    /// queue.
    private static let twice = """
        name: written
        about: A child reads while its parent looks twice.
        model: {entities: {Item: {attributes: {n: integer64}}, Tag: {attributes: {n: integer64}}}}
        mode: baton
        contexts: {M: {}, A: {parent: M}}
        setup: ["insert Tag as o with n = 1"]
        sessions:
          m: {context: M, steps: {m1: fetch Item -> x, m2: refresh o keep}}
          a: {context: A, steps: {a1: set o.n = 4}}
        observe: {a: status a1}
        outcomes: [{grade: acceptable, is: {}, because: Anything.}]

        """

    @Test func `a waiting thread may run between two turns of the thread that blocks it`()
        throws
    {
        try withScenario(Self.twice) { path in
            let cells = try suite().smallCells([path], atMost: 0, includesBaton: true)
            let cell = try #require(cells.first)
            let whole = try suite().with(.exhaustive).explore(cell)
            let fewer = try suite().with(.reduced).explore(cell)
            #expect(whole.isComplete && fewer.isComplete)
            #expect(fewer.represented == whole.explored)
        }
    }

    private static func waits() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(scenarios)/deadlocks").sorted()
    }

    /// A constraint deletes a row that the saving context had never read.
    private static let constrained = """
        name: written
        about: The second number takes the first one's row away.
        model: {entities: {Item: {attributes: {n: integer64}, unique: [[n]]}}}
        setup: ["insert Item as o1 with n = 1", "insert Item as o2"]
        contexts: {A: {policy: error}, B: {policy: objectTrump}}
        sessions:
          one: {context: A, steps: {a1: set o1.n = o1.n - 1}}
          two: {context: B, steps: {b1: "set o2.n = 1; save"}}
        observe: {read: status a1}
        outcomes:
          - {grade: acceptable, is: {read: ok}, because: it was there}
          - {grade: acceptable, is: {read: {not: ok}}, because: it is gone}
        """

    @Test func `a row that a constraint deletes is known to both walks`() throws {
        try withScenario(Self.constrained) { path in
            let cell = try #require(try suite().smallCells([path], atMost: 100).first)
            let whole = try suite().with(.exhaustive).explore(cell)
            let fewer = try suite().with(.reduced).explore(cell)
            #expect(whole.outcomes.count == 2 && fewer.outcomes == whole.outcomes)
        }
    }

    /// A fault that may fire before or after its row is deleted.
    private static func missing(_ kind: String) -> String {
        """
        name: written
        about: A row is read while it is deleted.
        model: {entities: {Item: {attributes: {n: integer64}}}}
        store: \(kind)
        contexts: {A: {}, B: {}}
        setup: ["insert Item as o with n = 1"]
        sessions:
          one: {context: A, steps: {a1: delete o, a2: save}}
          two: {context: B, steps: {b1: read o.n -> n}}
        observe: {read: value n}
        outcomes: [{grade: acceptable, is: {}, because: Anything.}]
        """
    }

    @Test(arguments: ["sqlite-image", "in-memory", "binary", "xml"])
    func `a fault that finds no row has read the store`(kind: String) throws {
        try withScenario(Self.missing(kind)) { path in
            let cell = try #require(try suite().smallCells([path], atMost: 100).first)
            let whole = try suite().with(.exhaustive).explore(cell)
            let fewer = try suite().with(.reduced).explore(cell)
            #expect(whole.explored == 3 && fewer.represented == 3)
            #expect(fewer.outcomes == whole.outcomes && fewer.explored == 2)
        }
    }
}
