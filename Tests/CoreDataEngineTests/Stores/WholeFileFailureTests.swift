import CoreDataModel
import Foundation
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Tests of errors of the file system, and of files that killed processes have left behind.
@Suite struct WholeFileFailureTests {
    private static let types = [NSBinaryStoreType, NSXMLStoreType]

    @Test(arguments: [
        (ENOSPC, 640, "free some space"), (EDQUOT, 640, "quota"), (EROFS, 642, "read-only"),
        (EACCES, 513, "permissions"), (EPERM, 513, "permissions"),
        (ENAMETOOLONG, 514, "shorter name"), (ENOENT, 4, "check the path"),
        (EMFILE, 512, "this process has no file descriptor left"),
        (ENFILE, 512, "the system has no file descriptor left"), (EIO, 512, "the disk failed"),
    ])
    func `a failure to write has the right code and remedy`(
        number: Int32, code: Int, advice: String
    ) {
        let error = CoreDataError(FileFailure(number, .writing), "/a/b", cannotBe: "written")
            .nsError
        #expect(error.code == code)
        #expect(error.localizedDescription.contains("The file /a/b cannot be written"))
        #expect(error.localizedDescription.contains(advice))
        #expect(error.userInfo[NSFilePathErrorKey] as? String == "/a/b")
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(underlying?.domain == NSPOSIXErrorDomain && underlying?.code == Int(number))
    }

    @Test(arguments: [
        (EACCES, 257, "permissions"), (ENAMETOOLONG, 258, "shorter name"),
        (ENOENT, 260, "check the path"),
        (EMFILE, 256, "this process has no file descriptor left"),
        (ENFILE, 256, "the system has no file descriptor left"), (EIO, 256, "the disk failed"),
    ])
    func `a failure to read has the right code and remedy`(
        number: Int32, code: Int, advice: String
    ) {
        let error = CoreDataError(FileFailure(number, .reading), "/a/b", cannotBe: "read").nsError
        #expect(error.code == code)
        #expect(error.localizedDescription.contains(advice))
    }

    @Test func `a full disk has its own error`() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let error = #expect(throws: CoreDataError.self) {
            try PendingFile.write(Data("text".utf8), to: full, "/a/b")
        }
        #expect(error?.nsError.code == FileCode.outOfSpace)
    }

    @Test(arguments: types)
    func `a name that is too long and a missing folder have their own errors`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        func code(_ path: String) -> Int? {
            do {
                _ = try fixture.context(at: fixture.folder.url.appendingPathComponent(path))
            } catch { return (error as NSError).code }
            return nil
        }
        #expect(code(String(repeating: "n", count: 300)) == FileCode.invalidName)
        #expect(code("none/store") == FileCode.missing)
        // The name of the store has the maximum length. The temporary file that replaces the store
        // has a shorter name.
        #expect(code(String(repeating: "n", count: 255)) == nil)
    }

    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func `a path that is not a file is refused at once`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        func message(_ body: () throws -> Void) throws -> String {
            let error = try #require(throws: (any Error).self) { try body() } as NSError
            #expect(error.code == FileCode.unknown)
            return error.localizedDescription
        }
        #expect(mkfifo(fixture.url.path, 0o600) == 0)
        #expect(try message { _ = try fixture.context() }.contains("is a pipe"))
        #expect(
            try message {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: type, at: fixture.url)
            }.contains("is a pipe"))
        #expect(
            try message {
                try NSPersistentStoreCoordinator(managedObjectModel: WholeFileFixture.model())
                    .destroyPersistentStore(at: fixture.url, ofType: type)
            }.contains("is a pipe"))
        try FileManager.default.removeItem(at: fixture.url)
        try FileManager.default.createDirectory(
            at: fixture.url, withIntermediateDirectories: false)
        #expect(try message { _ = try fixture.context() }.contains("is a folder"))
        #expect(
            try message { _ = try fixture.context(at: URL(fileURLWithPath: "/dev/full")) }
                .contains("is a device"))
    }

    @Test(arguments: types)
    func `a pipe that replaces an open store fails its save`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        let context = try fixture.context()
        try FileManager.default.removeItem(at: fixture.url)
        #expect(mkfifo(fixture.url.path, 0o600) == 0)
        try context.on {
            context.make("Thing")
            #expect(context.saveError()?.code == FileCode.unknown)
        }
    }

    @Test(arguments: types)
    func `a leftover file of a killed save is removed when the store is opened`(type: String) throws
    {
        let fixture = try WholeFileFixture(type)
        try fixture.fill()
        try Data("half a store".utf8).write(to: fixture.pending)
        _ = try fixture.context(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(FileManager.default.fileExists(atPath: fixture.pending.path))
        let others = [".other.faultline-new", "store.faultline-new", ".store"]
        for name in others {
            try Data().write(to: fixture.folder.url.appendingPathComponent(name))
        }
        _ = try fixture.context()
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
        #expect(left.sorted() == (others + ["store"]).sorted())
    }

    @Test(arguments: types)
    func `the file of a running save is not touched`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        try fixture.fill()
        let writer = open(fixture.pending.path, O_RDWR | O_CREAT, 0o600)
        defer { close(writer) }
        #expect(flock(writer, LOCK_EX) == 0)
        _ = try fixture.context()
        #expect(FileManager.default.fileExists(atPath: fixture.pending.path))
    }

    @Test(arguments: types)
    func `a killed process leaves a store that opens, and no lock`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        try fixture.fill()
        // Another process takes the lock, writes a part of the file, and is killed.
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/bin/sh")
        other.arguments = [
            "-c", "exec 9<>\"$0\"; flock 9 2>/dev/null; echo half >&9; kill -9 $$",
            fixture.pending.path,
        ]
        try other.run()
        other.waitUntilExit()
        #expect(FileManager.default.fileExists(atPath: fixture.pending.path))
        let context = try fixture.context()
        #expect(!FileManager.default.fileExists(atPath: fixture.pending.path))
        try fixture.add("after", context)
        #expect(try fixture.texts(try fixture.context()).contains("after"))
    }

    @Test(arguments: types)
    func `permissions and symbolic links stay as they are`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        let context = try fixture.context()
        func mode(_ url: URL) throws -> Int? {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            return (attributes[.posixPermissions] as? NSNumber)?.intValue
        }
        let plain = fixture.folder.url.appendingPathComponent("plain")
        #expect(FileManager.default.createFile(atPath: plain.path, contents: nil))
        #expect(try mode(fixture.url) == (try mode(plain)))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: fixture.url.path)
        try fixture.add("one", context)
        #expect(try mode(fixture.url) == 0o640)
        let link = fixture.folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.url)
        try fixture.add("two", try fixture.context(at: link))
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: link.path)
                == fixture.url.path)
        #expect(try fixture.texts(try fixture.context()) == ["one", "two"])
        let options = [NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete"]
        let secret = fixture.folder.url.appendingPathComponent("secret")
        try fixture.add("three", try fixture.context(at: secret, options: options))
        #expect(try mode(secret) == 0o600)
    }
}
