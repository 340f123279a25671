import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import CoreDataTrace
import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Creating a store is atomic.
@Suite struct StoreCreationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Opens the file, saves into it and reads the saved rows.
    private func expectUsable(
        _ path: String, _ mode: SQLiteStoreOptions.JournalMode = .wal,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let fixture = try StoreFixture(.file(path)) { $0.journalMode = mode }
        try fixture.insert("Author", [["name": .string("Ada")]])
        let names = try fixture.values("name", try fixture.plan("Author"))
        #expect(names == [.string("Ada")], sourceLocation: location)
        fixture.store.close()
        let connection = try Connection(.file(path))
        let state = try rows(connection, "PRAGMA integrity_check")
        #expect(state == ["ok"], sourceLocation: location)
    }

    @Test func `an empty file becomes a store`() throws {
        let path = folder.path("empty")
        try Data().write(to: URL(fileURLWithPath: path))
        try expectUsable(path)
    }

    @Test func `an empty file opened read-only stays empty and is refused`() throws {
        let path = folder.path("empty")
        try Data().write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: CoreDataError.self) {
            try StoreFixture(.file(path)) { $0.isReadOnly = true }
        }
        #expect(error?.code == .storeOpen)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
    }

    @Test(arguments: SQLiteStoreOptions.JournalMode.allCases)
    func `a database that has its settings and no table yet becomes a store`(
        mode: SQLiteStoreOptions.JournalMode
    ) throws {
        let path = folder.path("begun")
        do {
            let connection = try Connection(.file(path))
            try connection.execute("PRAGMA auto_vacuum=2")
            try connection.execute("PRAGMA journal_mode=\(mode.rawValue)")
        }
        try expectUsable(path, mode)
    }

    /// The process was killed while the first transaction was partly written. The file is not a
    /// valid database. Its rollback journal states that the file was empty.
    @Test(arguments: [0, 1])
    func `a creation that was cut off and left its journal is repeated`(kept: Int) throws {
        let begun = folder.path("begun"), path = folder.path("cut")
        do {
            let connection = try Connection(.file(begun))
            try connection.execute("PRAGMA cache_size=1")
            try connection.begin(.immediate)
            for number in 0..<60 { try connection.execute("CREATE TABLE t\(number) (a)") }
            for suffix in ["", "-journal"] {
                try Data(contentsOf: URL(fileURLWithPath: begun + suffix))
                    .write(to: URL(fileURLWithPath: path + suffix))
            }
            try connection.rollback()
        }
        #expect(try FileFacts.of(path + "-journal").map { $0.size > 0 } == true)
        if kept == 0 {
            // Writes only a part of the first page.
            try Data(repeating: 7, count: 512).write(to: URL(fileURLWithPath: path))
        }
        try expectUsable(path, .delete)
    }

    @Test(arguments: ["wal", "delete"])
    func `threads that create one store at the same time all open it`(mode: String) throws {
        let mode = try #require(SQLiteStoreOptions.JournalMode(rawValue: mode))
        for round in 0..<12 {
            let path = folder.path("\(mode.rawValue)-\(round)")
            let errors = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    let fixture = try StoreFixture(.file(path)) {
                        $0.journalMode = mode
                        $0.tracksHistory = true
                    }
                    try fixture.insert("Author", [["name": .string("Ada")]])
                    fixture.store.close()
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
            }
            #expect(errors.withLock { $0 } == [])
            let connection = try Connection(.file(path))
            #expect(try rows(connection, "SELECT COUNT(*) FROM ZAUTHOR") == ["8"])
            #expect(try rows(connection, "SELECT COUNT(*) FROM Z_METADATA") == ["1"])
        }
    }

    @Test func `a pipe is refused at once`() throws {
        let path = folder.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let error = #expect(throws: CoreDataError.self) { try StoreFixture(.file(path)) }
        #expect(error?.code == .fileReadUnknown)
        #expect(error?.message.contains("a pipe, a socket or a device") == true)
        let told = #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: nil, at: URL(fileURLWithPath: path))
        }
        #expect(told?.code == 256)
    }
}

/// Tests that a save fails if the file at the path of the store was removed or replaced.
@Suite struct ReplacedStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func expectRefusal(
        _ fixture: StoreFixture, _ path: String, location: SourceLocation = #_sourceLocation
    ) throws {
        let author = try fixture.entity("Author")
        let error = #expect(throws: CoreDataError.self, sourceLocation: location) {
            try fixture.store.reserveKeys(1, for: author)
        }
        #expect(error?.code == .storeSave, sourceLocation: location)
        #expect(error?.info["NSFilePath"] == path, sourceLocation: location)
        #expect(
            error?.message.contains("removed or replaced") == true, sourceLocation: location)
        var plan = SavePlan()
        plan.inserts.append(
            SavePlan.Insert(
                entity: author, keys: [77], values: try fixture.row(author, ["name": .string("X")]))
        )
        #expect(throws: CoreDataError.self, sourceLocation: location) {
            _ = try fixture.store.save(plan)
        }
    }

    @Test(arguments: ["wal", "delete"])
    func `a save into a file that was removed fails and names the path`(mode: String) throws {
        let mode = try #require(SQLiteStoreOptions.JournalMode(rawValue: mode))
        let path = folder.path("store")
        let fixture = try StoreFixture(.file(path)) { $0.journalMode = mode }
        try fixture.insert("Author", [["name": .string("Ada")]])
        for suffix in ["", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            #expect(rename(path + suffix, path + ".away" + suffix) == 0)
        }
        try expectRefusal(fixture, path)
        #expect(access(path, F_OK) != 0, "no new file was made")
        // The store accepts the file after it was moved back to its path.
        for suffix in ["", "-wal", "-shm"] where access(path + ".away" + suffix, F_OK) == 0 {
            #expect(rename(path + ".away" + suffix, path + suffix) == 0)
        }
        try fixture.insert("Author", [["name": .string("Grace")]])
        #expect(try fixture.values("name", try fixture.plan("Author")).count == 2)
    }

    @Test func `a save into a replaced file does not change the new file`() throws {
        let path = folder.path("store"), other = folder.path("other")
        let fixture = try StoreFixture(.file(path))
        try fixture.insert("Author", [["name": .string("Ada")]])
        do {
            let second = try StoreFixture(.file(other))
            try second.insert("Author", [["name": .string("Other")]])
            second.store.close()
        }
        #expect(rename(other, path) == 0)
        try expectRefusal(fixture, path)
        fixture.store.close()
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        let reopened = try StoreFixture(.file(path))
        let names = try reopened.values("name", try reopened.plan("Author"))
        #expect(names == [.string("Other")])
    }
}
