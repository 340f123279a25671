import LabResults
import SQLAnalysis
import Testing

/// The content of a report without line numbers, so that reports can be compared.
struct Essence: Equatable, CustomStringConvertible {
    var shapes: [String]
    var findings: [String]

    /// - Parameter hasEntities: whether to include entities. They are uncertain if the log does not
    ///   show threads.
    init(_ report: SQLReport, hasEntities: Bool = true) {
        shapes = report.shapes.map {
            "\($0.kind) \(hasEntities ? $0.entity : "") ×\($0.count) rows \($0.rows)/"
                + "\($0.rowsKnown) time \($0.nanoseconds / 100_000)/\($0.timesKnown) worst "
                + "\($0.worstNanoseconds / 100_000): \($0.text)"
        }.sorted()
        findings = report.findings.map { finding in
            let title = finding.title.replacing(/line \d+/, with: "line")
            return "\(finding.kind.rawValue) ×\(finding.statements) \(title) | "
                + "\(finding.keyPaths) | \(finding.code ?? "")"
        }.sorted()
    }

    var description: String { (findings + shapes).joined(separator: "\n") }
}

@Suite struct PrintedLogTests {
    private func report(_ style: LogStyle, _ script: LogScript) throws -> SQLReport {
        try SQLLogReader().read(style.bytes(script), name: "console.txt")
    }

    /// The results for the plain log of each level. The other styles must have the same results.
    private static let plain = (1...3).map { level in
        Result { Essence(try PrintedLogTests().report(.plain, .all(level: level))) }
    }

    /// The counts, rows and times of one statement of the script.
    private struct Sum: Equatable {
        var count = 0
        var rows = 0
        var rowsKnown = 0
        var tenths = 0
    }

    private func truth(_ script: LogScript) throws -> [String: Sum] {
        var sums: [String: Sum] = [:]
        for run in script.runs {
            // Reads a log that contains only this statement to find its normalised text.
            let alone = try SQLLogReader().read(
                Array("CoreData: sql: \(run.sql)\n".utf8), name: "one")
            var sum = sums[alone.shapes[0].text] ?? Sum()
            sum.count += 1
            sum.rows += run.rows ?? 0
            sum.rowsKnown += run.rows == nil ? 0 : 1
            sum.tenths += run.tenths ?? 0
            sums[alone.shapes[0].text] = sum
        }
        return sums
    }

    @Test(arguments: 1...3)
    func `every statement of the plain log has its own count, rows and time`(level: Int) throws {
        let script = LogScript.all(level: level)
        let report = try report(.plain, script)
        var seen: [String: Sum] = [:]
        for shape in report.shapes {
            seen[shape.text] = Sum(
                count: shape.count, rows: shape.rows, rowsKnown: shape.rowsKnown,
                tenths: Int(shape.nanoseconds / 100_000))
        }
        for (text, sum) in try truth(script) { #expect(seen[text] == sum, "\(text)") }
        #expect(report.totals.statements == script.runs.count)
    }

    @Test func `the advice of the plain log fits its blocks`() throws {
        let report = try report(.plain, .all())
        let found = report.findings.map { "\($0.kind.rawValue) \($0.statements)" }.sorted()
        #expect(
            found == [
                "missing-prefetch 12", "n-plus-one 6", "n-plus-one 6", "unbounded-fetch 1",
            ])
        let cure = report.findings.first { $0.kind == .missingPrefetch }
        #expect(cure?.origin?.entity == "Author")
        #expect(cure?.origin?.rows == 6)
        #expect(cure?.keyPaths == ["books.publisher"])
        let large = report.findings.first { $0.kind == .unboundedFetch }
        #expect(large?.title.contains("688187 rows") == true)
        #expect(large?.code == "request.fetchBatchSize = 100")
    }

    @Test(arguments: LogStyle.allCases, 1...3)
    func `every printed form has the statements, rows, times and advice of the plain log`(
        style: LogStyle, level: Int
    ) throws {
        let plain = try Self.plain[level - 1].get()
        let other = Essence(try report(style, .all(level: level)))
        let lost = plain.shapes.filter { !other.shapes.contains($0) }
        let added = other.shapes.filter { !plain.shapes.contains($0) }
        #expect(lost == [], "lost")
        #expect(added == [], "added")
        #expect(other.findings == plain.findings)
    }

    @Test func `each thread is read separately in every form that names threads`() throws {
        var one = LogScript()
        one.chain(authors: 9)
        var two = LogScript()
        two.thread = 2
        two.prefetches()
        two.saves()
        two.counts()
        two.aggregates()
        let apart = [one, two].map { try? report(.xcode, $0) }
        let expected = apart.compactMap(\.self).flatMap { Essence($0, hasEntities: false).shapes }
            .sorted()
        let findings = apart.compactMap(\.self).flatMap { Essence($0).findings }.sorted()
        let mixed = LogScript(mixing: one, two)
        for style in LogStyle.allCases where style.tellsThreads {
            let essence = Essence(try report(style, mixed), hasEntities: false)
            #expect(Set(expected).subtracting(essence.shapes) == [], "\(style)")
            #expect(essence.findings == findings, "\(style)")
        }
    }

    @Test func `without thread numbers a total that fits two statements is not assigned`() throws {
        // Both fetches run at the same time, so each total can belong to either fetch.
        let text = """
            CoreData: sql: SELECT 0, t0.Z_PK, t0.ZNAME FROM ZAUTHOR t0
            CoreData: annotation: sql connection fetch time: 0.0004s
            CoreData: sql: SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZBOOK t0
            CoreData: annotation: sql connection fetch time: 0.0004s
            CoreData: annotation: total fetch execution time: 0.0009s for 12 rows.
            CoreData: annotation: total fetch execution time: 0.0009s for 3 rows.
            """
        let report = try SQLLogReader().read(Array(text.utf8), name: "console.txt")
        #expect(report.shapes.map(\.rowsKnown) == [0, 0])
        #expect(report.notes.contains { $0.hasPrefix("2 statements ran at the same time") })
        // With thread numbers, the totals can be assigned.
        let threads = [1, 1, 2, 2, 1, 2]
        let stamped = zip(text.split(separator: "\n"), threads).map {
            "2024-05-01 10:11:12.000000+0200 App[1:\($1)0\($1)] \($0)\n"
        }
        let known = try SQLLogReader().read(Array(stamped.joined().utf8), name: "console.txt")
        #expect(known.shapes.map(\.rows).sorted() == [3, 12])
    }

    @Test(arguments: [1, 7, 64, 1_000, 100_000])
    func `a log that arrives in pieces has the report of the whole`(size: Int) throws {
        let bytes = LogStyle.xcode.bytes(.all(level: 2))
        let whole = try SQLLogReader().read(bytes, name: "console.txt")
        var start = 0
        let report = try SQLLogReader().read(name: "console.txt") {
            guard start < bytes.count else { return nil }
            defer { start += size }
            return Array(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(report == whole)
    }
}

extension LogScript {
    /// The two threads log in turns.
    init(mixing one: LogScript, _ two: LogScript) {
        self.init()
        for index in 0..<max(one.lines.count, two.lines.count) {
            if index < one.lines.count { append(one.lines[index]) }
            if index < two.lines.count { append(two.lines[index]) }
        }
    }

    private mutating func append(_ line: Line) {
        thread = line.thread
        add(line.text)
    }
}
