import CoreDataModel
import Foundation
import Synchronization
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Tests of two coordinators, which simulate two processes, on one store in a single file.
@Suite struct WholeFileConflictTests {
    private static let types = [NSBinaryStoreType, NSXMLStoreType]
    private typealias Coordinator = NSPersistentStoreCoordinator

    private func message(_ error: NSError?, _ fixture: WholeFileFixture) throws -> String {
        let error = try #require(error, "the save succeeded")
        #expect(error.code == NSPersistentStoreSaveError)
        #expect(error.userInfo[NSFilePathErrorKey] as? String == fixture.url.path)
        return error.localizedDescription
    }

    private func saveError(_ text: String, _ context: NSManagedObjectContext) throws -> NSError? {
        try context.on {
            context.make("Thing", ["text": text])
            return context.saveError()
        }
    }

    @Test(arguments: types)
    func `a save over another coordinator's save fails and says how to continue`(
        type: String
    ) throws {
        let fixture = try WholeFileFixture(type)
        let first = try fixture.context()
        try fixture.add("base", first)
        let second = try fixture.context()
        try fixture.add("first", first)
        let text = try message(try saveError("second", second), fixture)
        #expect(text.contains("another coordinator or process has written it since"))
        #expect(text.contains("Remove the store from its coordinator, add it again"))
        #expect(try fixture.texts(try fixture.context()) == ["base", "first"])
        // The store is removed and added again, as the message proposes.
        let coordinator = try #require(second.persistentStoreCoordinator)
        try second.on { second.reset() }
        try coordinator.remove(coordinator.persistentStores[0])
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: fixture.url, options: nil)
        try fixture.add("second", second)
        #expect(try fixture.texts(try fixture.context()) == ["base", "first", "second"])
        #expect(try message(try saveError("third", first), fixture).contains("another"))
    }

    @Test(arguments: types)
    func `a policy cannot win over another coordinator's save`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        let first = try fixture.context()
        let second = try fixture.context()
        second.mergePolicy = NSMergePolicy.overwrite
        try fixture.add("first", first)
        #expect(try saveError("second", second)?.code == NSPersistentStoreSaveError)
        #expect(try fixture.texts(try fixture.context()) == ["first"])
    }

    @Test(arguments: types)
    func `a change inside the file is noticed, whatever the file system reports`(
        type: String
    ) throws {
        let fixture = try WholeFileFixture(type)
        let context = try fixture.context()
        try fixture.add("abc", context)
        let before = try fixture.bytes()
        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.url.path)
        var changed = before
        let place = try #require(before.range(of: Data("abc".utf8)))
        changed[place.lowerBound] = UInt8(ascii: "x")
        try fixture.overwrite(changed)
        try FileManager.default.setAttributes(
            [.modificationDate: try #require(attributes[.modificationDate])],
            ofItemAtPath: fixture.url.path)
        #expect(try saveError("lost", context)?.code == NSPersistentStoreSaveError)
        #expect(try fixture.bytes() == changed)
    }

    @Test(arguments: types)
    func `a file that is replaced by its own copy counts as unchanged`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        let context = try fixture.context()
        try fixture.add("one", context)
        let bytes = try fixture.bytes()
        try FileManager.default.removeItem(at: fixture.url)
        try bytes.write(to: fixture.url)
        try fixture.add("two", context)
        #expect(try fixture.texts(try fixture.context()) == ["one", "two"])
    }

    @Test(arguments: types)
    func `a save fails when the file was removed or replaced, and writes nothing`(
        type: String
    ) throws {
        let fixture = try WholeFileFixture(type)
        let context = try fixture.context()
        try fixture.add("kept", context)
        let aside = fixture.folder.url.appendingPathComponent("aside")
        try FileManager.default.moveItem(at: fixture.url, to: aside)
        let text = try message(try saveError("lost", context), fixture)
        #expect(text.contains("was removed or moved"))
        #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
        try Data("somebody else's".utf8).write(to: fixture.url)
        try context.on { #expect(context.saveError()?.code == NSPersistentStoreSaveError) }
        #expect(try fixture.bytes() == Data("somebody else's".utf8))
        try FileManager.default.removeItem(at: fixture.url)
        try FileManager.default.moveItem(at: aside, to: fixture.url)
        try context.on { try context.save() }
        #expect(try fixture.texts(try fixture.context()) == ["kept", "lost"])
    }

    @Test(arguments: types)
    func `changes of metadata and replacing from outside are noticed by an open store`(type: String)
        throws
    {
        let fixture = try WholeFileFixture(type)
        let context = try fixture.context()
        try fixture.add("one", context)
        try Coordinator.setMetadata(
            ["colour": "red"], forPersistentStoreOfType: type, at: fixture.url)
        #expect(try saveError("two", context)?.code == NSPersistentStoreSaveError)
        let reopened = try fixture.context()
        try fixture.add("two", reopened)
        let metadata = try Coordinator.metadataForPersistentStore(ofType: type, at: fixture.url)
        #expect(metadata["colour"] as? String == "red")
        let copy = fixture.folder.url.appendingPathComponent("copy")
        try FileManager.default.copyItem(at: fixture.url, to: copy)
        try fixture.add("three", reopened)
        try Coordinator(managedObjectModel: WholeFileFixture.model()).replacePersistentStore(
            at: fixture.url, withPersistentStoreFrom: copy, ofType: type)
        #expect(try saveError("four", reopened)?.code == NSPersistentStoreSaveError)
        #expect(try fixture.texts(try fixture.context()) == ["one", "two"])
    }

    // MARK: The lock

    @Test(arguments: types)
    func `a writer waits for the lock of the file, and fails after the timeout`(
        type: String
    ) throws {
        let fixture = try WholeFileFixture(type)
        let options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0]
        let context = try fixture.context(options: options)
        let holder = open(fixture.pending.path, O_RDWR | O_CREAT, 0o600)
        #expect(flock(holder, LOCK_EX) == 0)
        #expect(try saveError("waits", context)?.code == NSPersistentStoreTimeoutError)
        func code(_ body: () throws -> Void) -> Int? {
            do { try body() } catch { return (error as NSError).code }
            return nil
        }
        let copy = fixture.folder.url.appendingPathComponent("copy")
        try FileManager.default.copyItem(at: fixture.url, to: copy)
        let coordinator = Coordinator(managedObjectModel: WholeFileFixture.model())
        #expect(
            code {
                try Coordinator.setMetadata(
                    [:], forPersistentStoreOfType: type, at: fixture.url, options: options)
            } == NSPersistentStoreTimeoutError)
        #expect(
            code {
                try coordinator.destroyPersistentStore(
                    at: fixture.url, ofType: type, options: options)
            } == NSPersistentStoreTimeoutError)
        #expect(
            code {
                try coordinator.replacePersistentStore(
                    at: fixture.url, destinationOptions: options, withPersistentStoreFrom: copy,
                    ofType: type)
            } == NSPersistentStoreTimeoutError)
        // A killed process leaves its lock file behind, but the file is no longer locked.
        close(holder)
        #expect(FileManager.default.fileExists(atPath: fixture.pending.path))
        try context.on { try context.save() }
        #expect(!FileManager.default.fileExists(atPath: fixture.pending.path))
        #expect(try fixture.texts(try fixture.context()) == ["waits"])
    }

    @Test(arguments: types)
    func `threads that save one file through separate coordinators lose nothing`(
        type: String
    ) throws {
        let fixture = try WholeFileFixture(type)
        _ = try fixture.context()
        let saved = Locked<[String]>([])
        let url = fixture.url
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            for round in 0..<5 {
                let text = "\(index)-\(round)"
                let isSaved: Void? = try? {
                    let own = try WholeFileFixture(type)
                    let context = try own.context(at: url)
                    try own.add(text, context)
                }()
                if isSaved != nil { saved.withLock { $0.append(text) } }
            }
        }
        let all = saved.withLock { $0.sorted() }
        #expect(try fixture.texts(try fixture.context()) == all)
        #expect(!all.isEmpty)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
        #expect(left == ["store"])
    }

    @Test(arguments: types)
    func `threads that create one store at the same time open the same one`(type: String) throws {
        for _ in 0..<10 {
            let fixture = try WholeFileFixture(type)
            let url = fixture.url
            let identifiers = Locked<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                let made = try? WholeFileFixture(type).context(at: url)
                    .persistentStoreCoordinator?.persistentStores.first?.identifier
                identifiers.withLock { $0.append(made ?? "none") }
            }
            let known = identifiers.withLock { Set($0) }
            #expect(known.count == 1 && !known.contains("none"), "\(known)")
        }
    }
}

/// A value that several threads share.
private final class Locked<T: Sendable>: Sendable {
    private let value: Mutex<T>

    init(_ value: T) { self.value = Mutex(value) }

    func withLock<R: Sendable>(_ body: (inout T) -> R) -> R { value.withLock { body(&$0) } }
}
