import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct SQLCommandTests {
    private static let log: String = {
        var lines = [
            "CoreData: sql: SELECT 0, t0.Z_PK, t0.ZNAME FROM ZAUTHOR t0",
            "CoreData: annotation: sql connection fetch time: 0.0010s",
            "CoreData: annotation: total fetch execution time: 0.0012s for 6 rows.",
        ]
        for number in 1...6 {
            lines += [
                "CoreData: sql: SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZAUTHOR = ? ",
                "CoreData: annotation: sql connection fetch time: 0.0002s",
                "CoreData: annotation: to-many relationship fault \"books\" for objectID 0x1 "
                    + "<x-coredata://S/Author/p\(number)> fulfilled from database.  Got 2 rows",
            ]
        }
        return lines.map { $0 + "\n" }.joined()
    }()

    @Test(arguments: ["text", "markdown", "html", "json"])
    func `a log's chain and its cure are in every format`(format: String) throws {
        let scratch = try Scratch()
        let log = try scratch.write(Self.log, to: "log.txt")
        let result = try Tool.run("sql", log, "--format", format)
        #expect(result.status == 0)
        #expect(result.complaint.isEmpty)
        #expect(result.output.contains("relationshipKeyPathsForPrefetching"))
        #expect(result.output.contains("n-plus-one"))
    }

    @Test func `a full disk for the output ends a command with a sentence and a status`()
        throws
    {
        let scratch = try Scratch()
        let log = try scratch.write(Self.log, to: "log.txt")
        let tool = try #require(Tool.executable)
        let process = BuiltTool.makeProcess(tool, ["sql", log], in: Tool.root, [:])
        let complaint = Pipe()
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        process.standardError = complaint
        try process.run()
        let text = try complaint.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 74)
        #expect(
            String(decoding: text, as: UTF8.self).hasPrefix(
                "The output cannot be written: No space"))
    }

    @Test func `a full disk for the error output does not change the status`() throws {
        let tool = try #require(Tool.executable)
        let process = BuiltTool.makeProcess(tool, ["sql", "/nowhere"], in: Tool.root, [:])
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: "/dev/full")
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 2)
    }

    @Test func `an exceeded limit ends with 1, a kept one with 0`() throws {
        let scratch = try Scratch()
        let log = try scratch.write(Self.log, to: "log.txt")
        #expect(try Tool.run("sql", log, "--max-n-plus-one", "0").status == 1)
        #expect(try Tool.run("sql", log, "--max-n-plus-one", "1").status == 0)
        #expect(try Tool.run("sql", log, "--max-statements", "6").status == 1)
        #expect(try Tool.run("sql", log, "--max-worst", "0.5").status == 1)
        #expect(try Tool.run("sql", log, log, "--max-new-statements", "0").status == 0)
    }

    @Test func `a limit that the log cannot show is reported as unchecked`() throws {
        let scratch = try Scratch()
        let log = try scratch.write(Self.log, to: "log.txt")
        let result = try Tool.run(
            "sql", log, "--max-missing-indexes", "0", "--max-statements", "9", "--format", "json")
        #expect(result.status == 3)
        #expect(
            result.complaint.contains(
                "--max-missing-indexes cannot be judged: no statement has a query plan; "))
        #expect(result.output.contains(#""name" : "statements""#))
        #expect(!result.output.contains(#""name" : "missing indexes""#))
        let bare = try scratch.write(
            "CoreData: sql: SELECT 0, t0.Z_PK FROM ZBOOK t0\n", to: "b.txt")
        let unbounded = try Tool.run("sql", bare, "--max-unbounded", "0")
        #expect(unbounded.status == 3)
        #expect(unbounded.complaint.contains("--max-unbounded cannot be judged: the log has no"))
        let writes = try scratch.write("CoreData: sql: COMMIT\n", to: "c.txt")
        #expect(try Tool.run("sql", writes, "--max-unbounded", "0").status == 0)
        // If one limit is exceeded and another one cannot be checked, the exit code is 1.
        let both = ["--max-missing-indexes", "0", "--max-statements", "6"]
        #expect(try Tool.run(list: ["sql", log] + both).status == 1)
    }

    @Test func `a file that is not a log ends with 2, a log without statements with 3`() throws {
        let scratch = try Scratch()
        let other = try scratch.write("hello\n", to: "other.txt")
        let result = try Tool.run("sql", other)
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.complaint.hasPrefix(other + ": none of its 1 lines is from Core Data; "))
        #expect(try Tool.run("sql", scratch.path("absent")).status == 2)
        let silent = try scratch.write("CoreData: error: no store\n", to: "silent.txt")
        #expect(try Tool.run("sql", silent).status == 3)
        #expect(try Tool.run("sql", other, "--store", scratch.path("no.sqlite")).status == 2)
    }

    @Test(arguments: [
        ["sql"], ["sql", "a", "b", "c"], ["sql", "a", "--max-new-statements", "1"],
        ["sql", "a", "--chain", "1"], ["fetch", "a"], ["fetch", "a", "B", "--batch-size", "x"],
        ["fetch", "a", "B", "--rounds", "0"], ["fetch", "a", "B", "--format", "junit"],
    ])
    func `a wrong option is a usage error`(arguments: [String]) throws {
        let result = try Tool.run(list: arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [
        ("fetch", "--batch-size", "-5", "write whole numbers, 1 or more, such as 20,100"),
        ("fetch", "--batch-size", "20 30", "write whole numbers, 1 or more, such as 20,100"),
        ("fetch", "--batch-size", "20,", "write whole numbers, 1 or more, such as 20,100"),
        ("fetch", "--limit", "-1", "write 0 for all objects, or a maximum"),
        ("fetch", "--offset", "-2", "write the number of objects to skip"),
        ("fetch", "--rounds", "-3", "write 1 to 1000"),
        ("sql", "--chain", "-1", "write 2 or more"),
        ("sql", "--unbounded-rows", "-1", "write 1 or more"),
        ("sql", "--max-time", "nan", "write a number"),
        ("sql", "--max-worst", "inf", "write a number"),
        ("sql", "--max-transaction-rate", "nan", "write a number"),
    ])
    func `an invalid number is reported with the option`(
        command: String, option: String, value: String, remedy: String
    ) throws {
        let result = try Tool.run(command, "a", "B", option, value)
        #expect(result.status == 64)
        let isQuoted = option == "--batch-size"
        let told = isQuoted ? "'\(value)'" : value
        #expect(result.complaint.contains("Error: \(option) is \(told); \(remedy)\n"))
    }

    @Test func `a folder is refused as one, by the name that was given`() throws {
        let scratch = try Scratch()
        let log = try scratch.write(Self.log, to: "log.txt")
        let folder = scratch.path("")
        let result = try Tool.run("sql", folder)
        #expect(result.status == 2)
        #expect(result.complaint == folder + ": this is a folder; name the log's file in it\n")
        let model = try Tool.run("sql", log, "--model", folder)
        #expect(model.status == 2)
        #expect(
            model.complaint
                == folder + ": this folder is not a model; "
                + "name an .xcdatamodeld, .xcdatamodel, .momd or .mom\n")
    }

    @Test func `the head of a report has no rows and times if the log has none`() throws {
        let scratch = try Scratch()
        let log = try scratch.write(
            "CoreData: sql: SELECT 0, t0.Z_PK FROM ZBOOK t0\n", to: "log.txt")
        let result = try Tool.run("sql", log)
        #expect(
            result.output.hasPrefix("\(log): 1 statement (1 SELECT, 0 writes), 0 faults\n"))
    }

    @Test func `a fetch on a file that is not a store ends with 2 and a remedy`() throws {
        let scratch = try Scratch()
        let result = try Tool.run("fetch", scratch.path("absent.sqlite"), "Book")
        #expect(result.status == 2)
        #expect(
            result.complaint.contains("this file does not exist; name the store's .sqlite file"))
        let model = try Tool.run(
            "fetch", try scratch.write("x", to: "x.sqlite"), "Book", "--model", "no.momd")
        #expect(model.status == 2)
        #expect(
            model.complaint
                == "no.momd: the file does not exist; "
                + "use an .xcdatamodeld, .xcdatamodel, .momd or .mom\n")
    }
}
