import Foundation
import Glibc
import LabFiles
import Testing

@Suite struct TemporaryFolderTests {
    private let base = try! Scratch()

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: base.path)) ?? []).sorted()
    }

    @Test func `a folder belongs only to this user and is removed with its owner`() throws {
        do {
            let folder = try TemporaryFolder("test", in: base.path)
            var status = stat()
            #expect(stat(folder.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
            try Data(count: 3).write(to: URL(fileURLWithPath: folder.path + "/file"))
            #expect(names.count == 2)
        }
        #expect(names.isEmpty)
    }

    @Test func `files of a dead process are removed, those of a running process stay`() throws {
        let living = try TemporaryFolder("test", in: base.path)
        // The files of a killed process remain, but the lock file is not locked.
        let dead = "faultline-store-\(UUID().uuidString)"
        try base.makeFolder(dead + "/inner")
        _ = try base.write(Data(count: 9), to: dead + "/inner/store.sqlite")
        _ = try base.write(Data(), to: dead + ".lock")
        // Folders with similar names must not be removed.
        for name in ["faultline-notes", "other-\(UUID().uuidString)", "faultline-x-1234"] {
            try base.makeFolder(name)
            _ = try base.write(Data(), to: name + ".lock")
        }
        AbandonedFolders.remove(in: base.path)
        #expect(!names.contains(dead) && !names.contains(dead + ".lock"))
        #expect(FileManager.default.fileExists(atPath: living.path))
        #expect(names.count == 2 + 6)
    }

    @Test func `links instead of a lock or a folder are not followed`() throws {
        try base.makeFolder("kept")
        _ = try base.write(Data(), to: "kept/file")
        let one = "faultline-a-\(UUID().uuidString)"
        #expect(symlink(base.path + "/kept", base.path + "/" + one) == 0)
        _ = try base.write(Data(), to: one + ".lock")
        let other = "faultline-b-\(UUID().uuidString)"
        try base.makeFolder(other)
        #expect(symlink(base.path + "/kept/file", base.path + "/" + other + ".lock") == 0)
        AbandonedFolders.remove(in: base.path)
        #expect(FileManager.default.fileExists(atPath: base.path + "/kept/file"))
        #expect(names.contains(other))
    }
}
