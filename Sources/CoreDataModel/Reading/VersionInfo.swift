import Foundation

/// The hashes and checksums that the compiler has recorded for the versions in a `.momd`.
struct VersionInfo {
    let hashes: [String: [String: Data]]
    let checksums: [String: String]

    /// Reads the `VersionInfo.plist` of a folder. Empty if the file does not exist or cannot be
    /// read.
    init(_ folder: URL) {
        let file = folder.appendingPathComponent("VersionInfo.plist")
        let plist = (try? ModelFile.data(at: file)).flatMap(PropertyListReader.read)
        let info = plist as? [String: Any]
        hashes = info?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:]
        checksums = info?["NSManagedObjectModel_VersionChecksums"] as? [String: String] ?? [:]
    }
}
