import CoreDataSQLite
import Dispatch
import Foundation
import LabFiles
import SQLAnalysis
import Synchronization
import Testing

/// Tests of copying stores. Other processes may have the stores open, or may have ended.
@Suite final class StoreSnapshotTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("faultline-snapshot-\(UUID().uuidString)")
    private var store: String { folder.appendingPathComponent("bank.sqlite").path }
    private var copy: String { folder.appendingPathComponent("copy/store.sqlite").path }

    init() throws {
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("copy"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Creates a bank. Each account has a balance of 100 and fills one page of the database.
    private func bank(journal: String, accounts: Int = 200) throws -> Connection {
        let bank = try Connection(.file(store))
        _ = try bank.firstText("PRAGMA journal_mode=\(journal)")
        _ = try bank.firstText("PRAGMA wal_autocheckpoint=8")
        try bank.execute("CREATE TABLE account (k INTEGER PRIMARY KEY, n, pad)")
        // Synchronous writes are slow, and the test does not simulate a power failure.
        _ = try bank.firstText("PRAGMA synchronous=off")
        try bank.execute(
            """
            WITH RECURSIVE number(k) AS (
                SELECT 0 UNION ALL SELECT k + 1 FROM number WHERE k < \(accounts - 1)
            )
            INSERT INTO account SELECT k, 100, zeroblob(3000) FROM number
            """)
        return bank
    }

    private func sum(_ path: String) throws -> String? {
        let copy = try Connection(.file(path))
        #expect(try copy.firstText("PRAGMA integrity_check") == "ok")
        return try copy.firstText("SELECT SUM(n) FROM account")
    }

    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasPrefix("bank") }.sorted()
        }
    }

    private final class Mover: Sendable {
        private let bank: Connection
        private let isOver = Mutex(false)
        private let ended = DispatchSemaphore(value: 0)

        init(_ bank: Connection, accounts: Int) {
            self.bank = bank
            Thread.detachNewThread { [self] in
                var key = 0
                while !isOver.withLock({ $0 }) {
                    key = (key + 77) % accounts
                    move(from: key, to: (key + accounts / 2) % accounts)
                }
                ended.signal()
            }
        }

        private func move(from key: Int, to other: Int) {
            do {
                try bank.transaction(.immediate) { () throws(SQLiteError) in
                    try bank.execute("UPDATE account SET n = n - 1 WHERE k = \(key)")
                    try bank.execute("UPDATE account SET n = n + 1 WHERE k = \(other)")
                }
            } catch { Issue.record(error) }
        }

        func stop() {
            isOver.withLock { $0 = true }
            ended.wait()
        }
    }

    /// The contents and modification times of all files in the folder.
    private var fingerprint: [String] {
        get throws {
            try files.map { name in
                let path = folder.appendingPathComponent(name).path
                let status = try FileManager.default.attributesOfItem(atPath: path)
                let date = (status[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
                let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                return "\(name) \(date) \(bytes.base64EncodedString().hashValue)"
            }
        }
    }

    @Test(arguments: ["closed", "closed with a log", "left with log and index", "rollback"])
    func `copying a store that nobody has open changes no byte and no time`(
        state: String
    ) throws {
        let bank = try bank(journal: state == "rollback" ? "delete" : "wal")
        if state == "closed with a log" { bank.checkpointsOnClose = false }
        if state.hasPrefix("left") {
            // After a process was killed, all three files exist and no lock is held.
            let left = folder.appendingPathComponent("left")
            try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
            for name in try files {
                try FileManager.default.copyItem(
                    at: folder.appendingPathComponent(name), to: left.appendingPathComponent(name))
            }
            bank.checkpointsOnClose = false
            try close(consume bank)
            for name in try FileManager.default.contentsOfDirectory(atPath: left.path) {
                let place = folder.appendingPathComponent(name)
                try? FileManager.default.removeItem(at: place)
                try FileManager.default.moveItem(at: left.appendingPathComponent(name), to: place)
            }
            #expect(try files == ["bank.sqlite", "bank.sqlite-shm", "bank.sqlite-wal"])
        } else {
            try close(consume bank)
        }
        let before = try fingerprint
        try StoreSnapshot(of: store, at: copy).make()
        #expect(try fingerprint == before)
        #expect(try sum(copy) == "20000")
    }

    private func close(_ bank: consuming Connection) throws { _ = try bank.firstText("SELECT 1") }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
    func `copying a store that another process has open writes nothing, and sees its commits`()
        throws
    {
        try close(try bank(journal: "wal"))
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        other.arguments = [
            "-c",
            """
            import sqlite3, sys
            bank = sqlite3.connect(sys.argv[1], isolation_level=None)
            bank.execute("UPDATE account SET n = n + 1 WHERE k = 0")
            print("ready", flush=True)
            sys.stdin.readline()
            """, store,
        ]
        let (input, output) = (Pipe(), Pipe())
        other.standardInput = input
        other.standardOutput = output
        try other.run()
        _ = output.fileHandleForReading.availableData
        #expect(try files.count == 3)
        let before = try fingerprint
        try StoreSnapshot(of: store, at: copy).make()
        #expect(try fingerprint == before)
        #expect(try sum(copy) == "20001")
        try input.fileHandleForWriting.close()
        other.waitUntilExit()
    }

    @Test func `a store that is written meanwhile is copied as of one commit`() throws {
        // Copying these files takes longer than many commits and checkpoints.
        let mover = Mover(try bank(journal: "wal", accounts: 5_000), accounts: 5_000)
        defer { mover.stop() }
        for _ in 0..<4 {
            try StoreSnapshot(of: store, at: copy).make()
            #expect(try sum(copy) == "500000")
        }
    }

    @Test func `a store that a writer has locked is refused and not copied`() throws {
        let bank = try bank(journal: "delete")
        try bank.execute("BEGIN EXCLUSIVE")
        var snapshot = StoreSnapshot(of: store, at: copy)
        snapshot.busyTimeoutMilliseconds = 0
        let error = #expect(throws: InputErrors.self) { try snapshot.make() }
        #expect(error?.description.hasPrefix("\(store): the store is being written; ") == true)
        try bank.rollback()
        try snapshot.make()
        #expect(try sum(copy) == "20000")
    }

    @Test func `a closed store is copied with its log, and no file is created next to it`() throws {
        var bank: Connection? = try bank(journal: "wal")
        bank?.checkpointsOnClose = false
        try bank?.execute("UPDATE account SET n = 200")
        bank = nil
        // The files were moved after their app had ended.
        try FileManager.default.removeItem(atPath: store + "-shm")
        let before = try files
        #expect(before == ["bank.sqlite", "bank.sqlite-wal"])
        try StoreSnapshot(of: store, at: copy).make()
        #expect(try files == before)
        #expect(try sum(copy) == "40000")
    }

    @Test func `a store that was left in the middle of a write is refused and not copied`() throws {
        let bank = try bank(journal: "delete")
        _ = try bank.firstText("PRAGMA cache_size=5")
        try bank.begin(.immediate)
        try bank.execute("UPDATE account SET n = 0")
        let left = folder.appendingPathComponent("left.sqlite").path
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: store + suffix, toPath: left + suffix)
        }
        let error = #expect(throws: InputErrors.self) {
            try StoreSnapshot(of: left, at: copy).make()
        }
        #expect(
            error?.description
                == "\(left): the store was left in the middle of a write; open the store once with"
                + " the app"
        )
    }
}
