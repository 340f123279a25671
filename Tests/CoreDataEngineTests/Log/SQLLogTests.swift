import CoreDataTrace
import TestSupport
import Testing

struct SQLLogTests {
    private let log = Log()

    private func lines(of events: Event...) -> [String] {
        let (log, trace) = (log, Trace())
        trace.add(SQLLog { log.add($0) })
        for event in events { trace.record(event) }
        return log.lines
    }

    private func statement(
        _ kind: StatementEvent.Kind, _ sql: String, nanoseconds: UInt64 = 0
    ) -> Event {
        .statement(
            StatementEvent(kind: kind, sql: sql, rows: 1, vmSteps: 9, nanoseconds: nanoseconds))
    }

    @Test func `a fetch logs its statement, its time and its total`() {
        #expect(
            lines(
                of: statement(.select, "SELECT 0, t0.Z_PK FROM ZITEM t0", nanoseconds: 478_949_999),
                .fetch(entity: "Item", rows: 190, nanoseconds: 1_000_149_999)) == [
                    "CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0",
                    "CoreData: annotation: sql connection fetch time: 0.4789s",
                    "CoreData: annotation: total fetch execution time: 1.0001s for 190 rows.",
                ])
    }

    @Test func `a count logs its time and its result`() {
        #expect(
            lines(of: .count(entity: "Item", count: 190, nanoseconds: 249_999)) == [
                "CoreData: annotation: total count request execution time: 0.0002s "
                    + "for count of 190."
            ])
    }

    @Test func `a save logs its statements, the writing ones with their time`() {
        #expect(
            lines(
                of: statement(.begin, "BEGIN IMMEDIATE"),
                statement(.insert, "INSERT INTO ZITEM(Z_PK) VALUES(?)", nanoseconds: 300_000),
                statement(.commit, "COMMIT")) == [
                    "CoreData: sql: BEGIN IMMEDIATE",
                    "CoreData: sql: INSERT INTO ZITEM(Z_PK) VALUES(?)",
                    "CoreData: annotation: sql execution time: 0.0003s",
                    "CoreData: sql: COMMIT",
                ])
    }

    // Proves S2.10-1
    @Test func `faults that read the database are logged with their ids, others are not`() {
        let item = ObjectName(entity: "Item", key: 26, store: "S")
        #expect(
            lines(
                of: .fault(object: item, source: .store),
                .fault(object: item, source: .rowCache),
                .relationshipFault(object: item, relationship: "tags", rows: 0, source: .store),
                .relationshipFault(object: item, relationship: "tags", rows: 0, source: .parent),
                .prefetch(keyPath: "attachments", rows: 1581)) == [
                    "CoreData: annotation: fault fulfilled from database for : "
                        + "0x1a <x-coredata://S/Item/p26>",
                    "CoreData: annotation: to-many relationship fault \"tags\" for objectID "
                        + "0x1a <x-coredata://S/Item/p26> fulfilled from database.  Got 0 rows",
                    "CoreData: annotation: Prefetching with key 'attachments'.  Got 1581 rows.",
                ])
    }

    private func detailed(_ level: Int) -> [String] {
        let (log, trace) = (log, Trace())
        trace.add(SQLLog(level: level) { log.add($0) })
        let sql = "SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE  t0.ZNAME = ? "
        trace.record(
            .statement(
                StatementEvent(
                    kind: .select, sql: sql, bindings: ["\"a\""], plan: ["  2 0 0 SCAN t0"],
                    rows: 1, vmSteps: 9, nanoseconds: 0)))
        let item = ObjectName(entity: "Item", key: 26, store: "S")
        trace.record(.rows(RowsEvent(entity: "Item", sql: sql, objects: [item])))
        return log.lines
    }

    private static let fetched =
        "CoreData: annotation: fetch using NSSQLiteStatement <0xfd28e68aeaafafbe> on entity "
        + "'Item' with sql text 'SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE  t0.ZNAME = ? ' returned "
        + "1 rows"

    @Test func `level 2 adds bound values and the result of a fetch's statement`() {
        #expect(
            detailed(2) == [
                "CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE  t0.ZNAME = ? ",
                "CoreData: details: SQLite bind[0] = \"a\"",
                "CoreData: annotation: sql connection fetch time: 0.0000s", Self.fetched,
            ])
    }

    @Test func `level 1 has neither bound values nor results`() {
        #expect(detailed(1).count == 2)
    }

    @Test func `level 3 adds the ids of the rows, level 4 query plans`() {
        #expect(
            detailed(3).last == Self.fetched + """
                 with values: (
                    "<Item: 0x1a> (entity: Item; id: 0x1a <x-coredata://S/Item/p26>; data: <fault>)"
                )
                """)
        #expect(
            detailed(4).contains(
                "CoreData: details: SQLite: EXPLAIN QUERY PLAN SELECT 0, t0.Z_PK FROM ZITEM t0 "
                    + "WHERE  t0.ZNAME = ? \n  2 0 0 SCAN t0"))
    }

    @Test func `events without database access are not logged`() {
        #expect(
            lines(
                of: .enqueue(queue: "q", label: "l"), .saveStep(context: "c", step: "s"),
                .merge(context: "c", inserted: 1, updated: 0, deleted: 0)
            ).isEmpty)
    }
}

struct LaunchArgumentsTests {
    private func read(_ arguments: String..., defaults: [String: String] = [:]) -> LaunchArguments {
        LaunchArguments(arguments: ["program"] + arguments, default: { defaults[$0] })
    }

    @Test func `nothing is logged by default`() {
        #expect(read().sqlDebug == 0 && read().complaints.isEmpty)
        #expect(SQLLog.make(read("-com.apple.CoreData.SQLDebug", "0")) { _ in } == nil)
    }

    @Test func `the command line precedes the user defaults`() {
        let name = "com.apple.CoreData.SQLDebug"
        #expect(read(defaults: [name: "1"]).sqlDebug == 1)
        #expect(read("-\(name)", "0", defaults: [name: "1"]).sqlDebug == 0)
        #expect(read("-\(name)", "1", "-x", "2").sqlDebug == 1)
        #expect(read("-\(name)", "3").sqlDebug == 3)
    }

    @Test func `the concurrency switch is acknowledged with Core Data's line`() {
        let log = Log()
        #expect(read().concurrencyDebug == nil)
        #expect(read("-com.apple.CoreData.ConcurrencyDebug", "0").concurrencyDebug == false)
        let switches = read("-com.apple.CoreData.ConcurrencyDebug", "1")
        #expect(SQLLog.make(switches) { log.add($0) } == nil)
        #expect(
            log.lines == ["CoreData: annotation: Core Data multi-threading assertions enabled."])
    }

    @Test(arguments: [
        (
            "9",
            "-com.apple.CoreData.SQLDebug 9 is above the highest level and logs like level 4; "
                + "write 0 to 4"
        ),
        ("yes", "-com.apple.CoreData.SQLDebug 'yes' is not a level; write 0 to 4"),
        ("-1", "-com.apple.CoreData.SQLDebug '-1' is not a level; write 0 to 4"),
    ])
    func `a level that does not exist is reported once`(level: String, complaint: String) {
        let log = Log()
        let switches = read("-com.apple.CoreData.SQLDebug", level)
        let sqlLog = SQLLog.make(switches) { log.add($0) }
        #expect((sqlLog != nil) == (level == "9"))
        #expect(log.lines == ["CoreData: error: \(complaint)"])
    }

    @Test func `a switch at the end of the line without its level is reported`() {
        #expect(read("-com.apple.CoreData.SQLDebug").complaints.count == 1)
    }
}
