import Foundation

/// The facts that the compiler has recorded about the versions in a `.momd`.
struct VersionInfo {
    /// The hashes of the entities of each version.
    let hashes: [String: [String: Data]]
    /// The checksum of each version.
    let checksums: [String: String]

    /// Empty if the folder has no readable `VersionInfo.plist`.
    init(_ folder: URL) {
        let file = folder.appendingPathComponent("VersionInfo.plist")
        let plist = (try? ModelFile.data(at: file)).flatMap(PropertyListReader.read)
        let info = plist as? [String: Any]
        hashes = info?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:]
        checksums = info?["NSManagedObjectModel_VersionChecksums"] as? [String: String] ?? [:]
    }
}
