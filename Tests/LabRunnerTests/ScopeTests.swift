import Foundation
import Glibc
import LabFiles
import LabResults
import LabRunner
import Testing

/// Tests of the files that a scenario may name, and of the limits of its SQL.
@Suite struct ScopeTests {
    private static let small = """
        name: small
        about: One row.
        model: MODEL
        STORE
        contexts: {A: {}}
        setup: ['insert Account as a with name = "x"']
        sessions: {one: {context: A, steps: {s1: STEP}}}
        observe: {n: count Account, s: status s1}
        outcomes: [{grade: acceptable, is: {n: 1}, because: There is one.}]
        """

    /// The problems or results of a scenario in a new folder, next to which is a file `secret`.
    private func problems(
        model: String = "{entities: {Account: {attributes: {name: string}}}}",
        store: String = "store: sqlite", step: String = "save", outside: Bool = false,
        prepare: (_ folder: String) throws -> Void = { _ in }
    ) throws -> String {
        let folder = NSTemporaryDirectory() + "scope-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder + "/own", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "SECRET".write(toFile: folder + "/secret", atomically: true, encoding: .utf8)
        try prepare(folder)
        try Self.small.replacing("MODEL", with: model).replacing("STORE", with: store)
            .replacing("STEP", with: step)
            .write(toFile: folder + "/own/a.yaml", atomically: true, encoding: .utf8)
        var suite = suite()
        suite.options.allowsOutside = outside
        do throws(InputErrors) {
            let report = try suite.run([folder + "/own/a.yaml"])
            return report.scenarios.flatMap(\.outcomes).flatMap(\.observed).map(\.value)
                .joined(separator: " ")
        } catch {
            return error.errors.map(\.problem).joined(separator: "\n")
        }
    }

    @Test func `a store to copy must be a plain file below the scenario's folder`() throws {
        func told(_ path: String, _ prepare: (String) throws -> Void = { _ in }) throws -> String {
            try problems(store: "store: {copy-of: \(path)}", prepare: prepare)
        }
        #expect(try told("../secret") == "'../secret' is outside this file's folder")
        #expect(try told("/etc/passwd") == "'/etc/passwd' is outside this file's folder")
        let link = try told("link") {
            try FileManager.default.createSymbolicLink(
                atPath: $0 + "/own/link", withDestinationPath: $0 + "/secret")
        }
        #expect(link == "'link' is outside this file's folder")
        let pipe = try told("pipe") { #expect(mkfifo($0 + "/own/pipe", 0o600) == 0) }
        #expect(pipe == "this is a pipe, a device or a socket")
        let open = try problems(store: "store: {copy-of: ../secret}", outside: true)
        #expect(open == "'../secret' is not a SQLite database")
    }

    @Test(arguments: ["../other.xcdatamodel", "/etc/passwd", "link/other.xcdatamodel"])
    func `a model must be below the scenario's folder`(_ path: String) throws {
        let problem = try problems(model: "{path: \(path)}") { folder in
            try FileManager.default.createDirectory(
                atPath: folder + "/other.xcdatamodel", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/own/link", withDestinationPath: folder)
        }
        #expect(problem == "'\(path)' is outside this file's folder")
    }

    @Test func `fixtures must be in the fixtures folder`() throws {
        guard fixtures.folder != nil else {
            try Test.cancel("the fixtures folder is absent; set FAULTLINE_FIXTURES")
        }
        let told = try problems(store: "store: {copy-of: 'fixtures:../../etc/passwd'}")
        #expect(told == "'../../etc/passwd' is outside this file's folder")
    }

    @Test func `SQL of a scenario reads no other file and is bounded`() throws {
        #expect(try problems(step: "'outside \"SELECT 1\"'") == "1 ok")
        for sql in [
            "ATTACH '/etc/passwd' AS other", "VACUUM INTO 'copy.sqlite'",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
            "SELECT zeroblob(500000000)", "PRAGMA temp_store_directory = '/dev/shm'",
            "PRAGMA page_size = 65536", "PRAGMA max_page_count = 1000000000",
            "PRAGMA cache_size = 1000000000", "PRAGMA writable_schema = 1",
            "CREATE TEMP TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                + " WHERE i < 100) SELECT zeroblob(9000000) FROM n",
        ] {
            let observed = try problems(step: "\"outside \\\"\(sql)\\\"\"")
            #expect(observed.hasPrefix("1 ") && !observed.hasSuffix("ok"), "\(sql): \(observed)")
        }
        for sql in [
            "PRAGMA table_info(ZA)", "PRAGMA page_size", "SELECT * FROM pragma_integrity_check",
            "CREATE TEMP TABLE t AS SELECT zeroblob(9000000)",
        ] {
            #expect(try problems(step: "\"outside \\\"\(sql)\\\"\"") == "1 ok", "\(sql)")
        }
    }
}
