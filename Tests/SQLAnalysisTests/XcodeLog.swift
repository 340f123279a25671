/// A console with several threads that log concurrently.
struct XcodeLog {
    private(set) var lines: [String] = []
    private var clock = 0
    /// Whether lines have a time, a process and a thread.
    var hasPrefixes = true
    /// Longer statements are cut off after this many characters.
    var lengthMax = Int.max

    mutating func add(_ text: String, thread: Int = 1) {
        clock += 1
        var line = "CoreData: " + text
        if text.hasPrefix("sql:"), line.count > lengthMax { line = line.prefix(lengthMax) + "<…>" }
        guard hasPrefixes else { return lines.append(line) }
        let seconds = 10 + clock / 1_000
        let fraction = String(1_000 + clock % 1_000).dropFirst()
        let time = "2024-05-01 10:11:\(seconds).\(fraction)000+0200"
        lines.append("\(time) Library[4711:\(70_000 + thread)] \(line)")
    }

    mutating func fetch(_ sql: String, rows: Int, time: String = "0.0004", thread: Int = 1) {
        add("sql: \(sql)", thread: thread)
        add("annotation: sql connection fetch time: \(time)s", thread: thread)
        add("annotation: total fetch execution time: \(time)s for \(rows) rows.", thread: thread)
    }

    mutating func toManyFault(_ number: Int, rows: Int, thread: Int = 1) {
        fetch(
            "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZPAGES, t0.ZTITLE, t0.ZAUTHOR, t0.ZPUBLISHER "
                + "FROM ZBOOK t0 WHERE  t0.ZAUTHOR = ? ", rows: rows, thread: thread)
        add(
            "annotation: to-many relationship fault \"books\" for objectID 0x60000\(number) "
                + "<\(Self.store)/Author/p\(number)> fulfilled from database.  Got \(rows) rows",
            thread: thread)
    }

    mutating func fault(_ entity: String, _ number: Int, columns: String, thread: Int = 1) {
        fetch(
            "SELECT 0, t0.Z_PK, t0.Z_OPT, \(columns) FROM Z\(entity.uppercased()) t0 "
                + "WHERE  t0.Z_PK = ? ", rows: 1, thread: thread)
        add(
            "annotation: fault fulfilled from database for : 0x70000\(number) "
                + "<\(Self.store)/\(entity)/p\(number)>", thread: thread)
    }

    static let store = "x-coredata://8C0B2E5E-7A1F-4D54-9C8B-5F7B1D0A1E11"
    static let authors = "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZAUTHOR t0 ORDER BY t0.ZNAME"

    var text: String { lines.map { $0 + "\n" }.joined() }
    var bytes: [UInt8] { [UInt8](text.utf8) }

    /// A log of two threads. One reads the books of twelve authors and the publisher of each book,
    /// one by one. The other one saves and fetches.
    static func library(prefixes: Bool = true, lengthMax: Int = .max) -> XcodeLog {
        var log = XcodeLog()
        log.hasPrefixes = prefixes
        log.lengthMax = lengthMax
        log.fetch(authors, rows: 12)
        for author in 1...12 {
            var own = XcodeLog()
            own.hasPrefixes = prefixes
            own.lengthMax = lengthMax
            own.clock = author * 40
            own.toManyFault(author, rows: 1)
            own.fault("Publisher", author, columns: "t0.ZCITY, t0.ZNAME")
            var other = XcodeLog()
            other.hasPrefixes = prefixes
            other.clock = author * 40
            other.add("sql: BEGIN EXCLUSIVE", thread: 2)
            other.add(
                "sql: UPDATE ZAUTHOR SET ZNAME = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?",
                thread: 2)
            other.add("annotation: sql execution time: 0.0003s", thread: 2)
            other.add("sql: COMMIT", thread: 2)
            other.fetch(
                "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZWORD FROM ZTAG t0 WHERE  t0.ZWORD LIKE ? LIMIT 5",
                rows: author, thread: 2)
            log.interleave(own.lines, other.lines)
        }
        return log
    }

    /// Two threads log in turns.
    private mutating func interleave(_ one: [String], _ other: [String]) {
        for index in 0..<max(one.count, other.count) {
            if index < one.count { lines.append(one[index]) }
            if index < other.count { lines.append(other[index]) }
        }
    }
}
