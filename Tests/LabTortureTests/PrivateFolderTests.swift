import Foundation
import Testing

@testable import LabTorture

/// Folders of attacks are gone when nobody needs them, and never before.
struct PrivateFolderTests {
    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func age(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
    }

    @Test func `a folder goes with its owner, and only its owner may read it`() throws {
        let path: String
        do {
            let folder = try PrivateFolder()
            path = folder.path
            _ = try folder.makeFolder("inside")
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? NSNumber == 0o700)
        }
        #expect(!exists(path))
    }

    @Test func `the next one removes what a killed process left, and nothing that is in use`()
        throws
    {
        let used = try PrivateFolder()
        let left = NSTemporaryDirectory() + "faultline-torture-left-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: left, withIntermediateDirectories: false)
        try age(left)
        try age(used.path)
        let next = try PrivateFolder()
        #expect(!exists(left))
        #expect(exists(used.path))
        #expect(exists(next.path))
    }
}
