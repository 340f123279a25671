import CoreDataModel
import Foundation
import Testing

struct RealMetadataTests {
    /// Finds the property list of a store's metadata in the bytes of the file.
    ///
    /// The blob of a row is contiguous if it is shorter than a page.
    private func metadata(_ name: String) throws -> [String: Any] {
        let folder = try #require(Fixtures.folder)
        let file = try Data(contentsOf: folder.appendingPathComponent("stores/\(name)"))
        var start = file.startIndex
        let mark = Data("bplist00".utf8)
        while let found = file.range(of: mark, in: start..<file.endIndex) {
            start = found.upperBound
            // The loop tries all lengths until the bytes are a property list. It therefore does not
            // depend on the page format. The sixth byte of the trailer of a property list is its
            // offset size, which excludes most lengths.
            let ends = found.lowerBound + 40..<min(found.lowerBound + 4000, file.endIndex)
            for end in ends where (1...2).contains(file[end - 26]) {
                let bytes = file[found.lowerBound..<end]
                let plist = try? PropertyListSerialization.propertyList(
                    from: Data(bytes), options: [], format: nil)
                if let plist = plist as? [String: Any],
                    plist["NSStoreModelVersionHashes"] != nil
                {
                    return plist
                }
            }
        }
        return [:]
    }

    @Test(
        .enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)),
        arguments: [
            ("alemar11-CoreDataPlus-SampleModel2_V2.sqlite", true),
            ("alemar11-CoreDataPlus-SampleModel_V1.sqlite", false),
        ])
    func `digest and checksum are those of real stores`(
        _ name: String, _ hasChecksum: Bool
    ) throws {
        let metadata = try metadata(name)
        let hashes = try #require(metadata["NSStoreModelVersionHashes"] as? [String: Data])
        let digest = VersionDigest(hashes)
        #expect(digest.digest == metadata["NSStoreModelVersionHashesDigest"] as? String)
        let checksum = metadata["NSStoreModelVersionChecksumKey"] as? String
        #expect((checksum != nil) == hasChecksum)
        if hasChecksum { #expect(digest.checksum == checksum) }
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)))
    func `checksums are those of a compiled model's version list`() throws {
        let url = Fixtures.model("alemar11-CoreDataPlus/SampleModel3.momd/VersionInfo.plist")
        let plist = try PropertyListSerialization.propertyList(
            from: Data(contentsOf: url), options: [], format: nil)
        let info = try #require(plist as? [String: Any])
        let hashes = try #require(
            info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
        let checksums = try #require(
            info["NSManagedObjectModel_VersionChecksums"] as? [String: String])
        #expect(checksums.count == 3)
        for (version, checksum) in checksums {
            #expect(VersionDigest(hashes[version] ?? [:]).checksum == checksum)
        }
    }
}
