import LabResults
import SQLAnalysis
import Testing

/// Tests of the advice about loops of fetches, counts and faults. Some repetitions only look like
/// loops.
@Suite struct LoopAdviceTests {
    private func findings(
        level: Int = 2, _ write: (inout LogScript) -> Void
    ) throws -> [SQLFinding] {
        var script = LogScript()
        script.level = level
        script.opening()
        write(&script)
        return try SQLLogReader().read(LogStyle.plain.bytes(script), name: "console.txt").findings
    }

    private static let books = "SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZBOOK t0 WHERE  "

    // MARK: Pages

    @Test func `pages of one fetch are neither repeated nor a loop`() throws {
        let offsets = try findings(level: 1) { script in
            for page in 0..<9 {
                let offset = page == 0 ? "" : " OFFSET \(page * 50)"
                script.fetch(
                    "SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZBOOK t0 ORDER BY t0.ZTITLE LIMIT 50"
                        + offset, of: "Book", rows: 50)
            }
        }
        #expect(offsets.isEmpty)
        let filtered = try findings { script in
            script.fetch(LogScript.authors, of: "Author", rows: 30)
            for page in 1..<9 {
                script.fetch(
                    Self.books + "t0.ZREAD = ? LIMIT 50 OFFSET \(page * 50)", of: "Book",
                    values: ["(int64)1"], rows: 50)
            }
        }
        #expect(filtered.isEmpty)
        let byKey = try findings { script in
            script.fetch(LogScript.authors, of: "Author", rows: 30)
            for page in 0..<9 {
                script.fetch(
                    Self.books + "t0.ZDATE < ? ORDER BY t0.ZDATE DESC LIMIT 50", of: "Book",
                    values: ["\(900 - page)"], rows: 50)
            }
        }
        #expect(byKey.isEmpty)
    }

    @Test func `equal statements with other literal values are other fetches`() throws {
        let found = try findings(level: 1) { script in
            for number in 1...6 {
                script.fetch(Self.books + "t0.Z_ENT = \(number)", of: "Book", rows: 3)
            }
        }
        #expect(found.isEmpty)
        let equal = try findings(level: 1) { script in
            for _ in 1...3 { script.fetch(Self.books + "t0.Z_ENT = 2", of: "Book", rows: 3) }
        }
        #expect(equal.map(\.kind) == [.repeatedFetch])
    }

    // MARK: Loops without a fetch in front

    @Test func `a search for each of many values is a loop, even without a preceding fetch`() throws
    {
        func lookUps(_ count: Int, value: (Int) -> Int) throws -> [SQLFinding] {
            try findings { script in
                for number in 0..<count {
                    script.fetch(
                        Self.books + "t0.ZUID = ? LIMIT 1", of: "Book",
                        values: ["\"\(value(number))\""], rows: 0)
                }
            }
        }
        let told = try #require(try lookUps(300) { $0 }.first)
        #expect(told.kind == .nPlusOne && told.origin == nil)
        #expect(told.title == "300 fetches of Book, one statement each")
        #expect(told.code == "request.predicate = NSPredicate(format: \"ZUID IN %@\", values)")
        #expect(try lookUps(12) { $0 }.isEmpty, "a few are no loop")
        #expect(try lookUps(300) { _ in 7 }.map(\.kind) == [.repeatedFetch])
    }

    @Test func `a fetch of two rows is not reported as the cause of three hundred fetches`() throws
    {
        let found = try findings { script in
            script.fetch(
                "SELECT 0, t0.Z_PK, t0.ZKEY FROM ZSETTING t0", of: "Setting", rows: 2)
            for number in 0..<300 {
                script.fetch(
                    Self.books + "t0.ZUID = ?", of: "Book", values: ["\(number)"], rows: 1)
            }
        }
        #expect(found.count == 1 && found[0].origin == nil)
        #expect(!found[0].title.contains("Setting"))
    }

    @Test func `fetches that are minutes apart are not a loop`() throws {
        func log(secondsApart: Int) throws -> SQLReport {
            let lines = (0..<40).flatMap { number in
                let seconds = number * secondsApart
                let clock = [seconds / 3_600 + 10, seconds / 60 % 60, seconds % 60]
                    .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
                let head = "2024-05-01 \(clock).000000+0200 App[1:77] CoreData: "
                return [
                    head + "sql: \(Self.books)t0.ZUID = ? ",
                    head + "details: SQLite bind[0] = (int64)\(number)",
                    head + "annotation: sql connection fetch time: 0.0004s",
                    head + "annotation: total fetch execution time: 0.0006s for 1 rows.",
                ]
            }
            let text = lines.joined(separator: "\n")
            return try SQLLogReader().read([UInt8](text.utf8), name: "console.txt")
        }
        #expect(try log(secondsApart: 60).findings.isEmpty)
        #expect(try log(secondsApart: 1).findings.map(\.kind) == [.nPlusOne])
    }

    // MARK: Counts and single keys

    @Test func `a count for each fetched object is a loop`() throws {
        let sql = "SELECT COUNT( DISTINCT t0.Z_PK) FROM ZBOOK t0 WHERE  t0.ZAUTHOR = ? "
        func counts(value: (Int) -> Int) throws -> [SQLFinding] {
            try findings { script in
                script.fetch(LogScript.authors, of: "Author", rows: 40)
                for number in 1...40 {
                    script.count(sql, values: ["(int64)\(value(number))"], gives: number)
                }
            }
        }
        let told = try #require(try counts { $0 }.first)
        #expect(told.kind == .nPlusOne && told.statements == 40)
        #expect(
            told.title
                == "40 counts of ZBOOK, one statement each, after the fetch of Author in line 6")
        #expect(told.advice.contains("grouped by ZAUTHOR"))
        #expect(try counts { _ in 3 }.map(\.kind) == [.repeatedFetch])
    }

    @Test func `one key in each list is a loop, pages of keys are not`() throws {
        let single = try findings { script in
            for key in 1...40 {
                script.fetch(
                    Self.books + "t0.Z_PK IN  (?) ", of: "Book", values: ["(int64)\(key)"], rows: 1)
            }
        }
        #expect(single.map(\.kind) == [.nPlusOne])
        #expect(single[0].code?.contains("SELF IN %@") == true)
        #expect(try findings { $0.batches() }.isEmpty)
    }

    // MARK: Changes between reads

    @Test func `reading again rows that another thread wrote in between is not reported`() throws {
        func log(_ write: String) throws -> [SQLFinding.Kind] {
            var script = LogScript()
            script.level = 2
            for number in 1...6 {
                script.thread = 1
                script.fetch(
                    "SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZBOOK t0 LEFT OUTER JOIN ZAUTHOR t1 ON "
                        + "t0.ZAUTHOR = t1.Z_PK WHERE  t1.ZNAME = ?", of: "Book",
                    values: ["\"Ada\""], rows: number)
                script.fault("Book", 7, columns: "t0.ZTITLE")
                script.thread = 2
                script.save { $0.write(write) }
            }
            return try SQLLogReader().read(LogStyle.xcode.bytes(script), name: "console.txt")
                .findings.map(\.kind)
        }
        #expect(try log("INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES(?, ?, ?, ?)") == [])
        #expect(
            try log("UPDATE ZAUTHOR SET ZNAME = ? WHERE Z_PK = ?") == [.repeatedFault],
            "the book itself has not changed")
        #expect(
            Set(try log("UPDATE ZSHOP SET ZNAME = ? WHERE Z_PK = ?"))
                == [.repeatedFault, .repeatedFetch])
    }

    @Test func `a log of many threads gives the same report each time`() throws {
        var script = LogScript()
        script.level = 2
        for number in 1...60 {
            script.thread = number % 7 + 1
            script.fetch(
                Self.books + "t0.ZAUTHOR = ? ", of: "Book", values: ["(int64)\(number % 3)"],
                rows: number)
            script.fault("Author", number % 5, columns: "t0.ZNAME")
            if number % 9 == 0 { script.saves() }
        }
        let bytes = LogStyle.xcode.bytes(script)
        let first = try SQLLogReader().read(bytes, name: "console.txt")
        #expect(!first.findings.isEmpty)
        for _ in 0..<20 {
            #expect(try SQLLogReader().read(bytes, name: "console.txt") == first)
        }
    }

    // MARK: Faults of what was read

    @Test func `other objects of the same entity need a prefetch, not a batch size`() throws {
        let columns = "t0.Z_OPT, t0.ZNAME, t0.ZPARENT"
        let found = try findings { script in
            script.fetch("SELECT 0, t0.Z_PK, \(columns) FROM ZITEM t0 ", of: "Item", rows: 30)
            for key in 1...30 { script.fault("Item", key, columns: "t0.ZNAME, t0.ZPARENT") }
        }
        let told = try #require(found.first { $0.kind == .nPlusOne })
        #expect(told.code == nil)
        #expect(told.advice.contains("read the values of these objects"))
        #expect(told.advice.contains("prefetch the relationship"))
    }

    @Test func `a prefetch that the log shows is not proposed again`() throws {
        let found = try findings { script in
            script.fetch(
                "SELECT 0, t0.Z_PK, t0.ZTITLE, t0.ZAUTHOR FROM ZBOOK t0 ", of: "Book", rows: 9
            ) {
                $0.prefetch(
                    "author",
                    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZAUTHOR t0 WHERE  t0.Z_PK IN "
                        + "(SELECT * FROM _Z_intarray0) ", of: "Author", rows: 4)
            }
            for key in 1...9 { script.fault("Author", key, columns: "t0.ZNAME") }
        }
        #expect(found.map(\.kind) == [.nPlusOne])
        #expect(found[0].advice.contains("\"author\" was prefetched"))
        #expect(found[0].code == nil && found[0].keyPaths.isEmpty)
    }

    @Test func `each run of a fetch needs its own prefetch`() throws {
        let found = try findings { script in
            for run in 0..<5 {
                script.fetch(
                    "SELECT 0, t0.Z_PK, t0.ZTITLE, t0.ZAUTHOR FROM ZBOOK t0 ", of: "Book", rows: 9)
                for key in 1...6 {
                    script.fault("Author", run * 10 + key, columns: "t0.ZNAME")
                }
            }
        }
        let cure = try #require(found.first { $0.kind == .missingPrefetch })
        #expect(cure.advice.contains("30 statements become 5"))
    }
}
