import Testing

@testable import CoreDataSQLite

@Suite struct StatementInvariantTests {
    @Test func `a statement detects that it was left in the middle of its rows`() throws {
        let connection = try Connection(.memory)
        let statement = try connection.statement("SELECT 1 UNION ALL SELECT 2")
        #expect(statement.brokenInvariant() == nil)
        #expect(try statement.step())
        #expect(statement.brokenInvariant() == nil)
        statement.hasRun = false
        #expect(statement.brokenInvariant() == "A statement counts 1 rows outside a run.")
        statement.rows = 0
        #expect(
            statement.brokenInvariant()
                == "A statement was left at a row: its run has ended without a reset.")
        statement.hasRun = true
        statement.finish()
        #expect(statement.brokenInvariant() == nil)
    }

    @Test func `a statement knows its parameters and when they may be bound`() throws {
        let connection = try Connection(.memory)
        let statement = try connection.statement("SELECT ?, ?")
        #expect(statement.mayBind(1) && statement.mayBind(2))
        #expect(!statement.mayBind(0) && !statement.mayBind(3))
        #expect(!statement.hasColumn(0))
        #expect(try statement.step())
        #expect(!statement.mayBind(1))
        #expect(statement.hasColumn(1) && !statement.hasColumn(2) && !statement.hasColumn(-1))
        statement.finish()
        #expect(statement.mayBind(1) && !statement.hasColumn(0))
    }
}
