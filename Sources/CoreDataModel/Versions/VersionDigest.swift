import Foundation

/// The two strings in a store's metadata that are computed from the version hashes of a model.
///
/// The hashes may be those of this module, or those in a store of Apple's framework. The formulas
/// are derived from existing stores. Entities are in the ASCII order of their names.
package struct VersionDigest: Sendable, Equatable {
    /// `NSStoreModelVersionHashesDigest`: the SHA-512 of all names and hashes, in Base64.
    package let digest: String
    /// `NSStoreModelVersionChecksumKey`: the SHA-256 of all hashes, in Base64.
    package let checksum: String

    package init(_ hashes: [String: Data]) {
        let sorted = hashes.sorted { $0.key.precedesInASCII($1.key) }
        let named = sorted.flatMap { Array($0.key.utf8) + Array($0.value) }
        digest = Data(SHA2.sha512(named)).base64EncodedString()
        checksum = Data(SHA2.sha256(sorted.flatMap { Array($0.value) })).base64EncodedString()
    }

    package static let hashesKey = "NSStoreModelVersionHashes"
    package static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
    package static let digestKey = "NSStoreModelVersionHashesDigest"
    package static let checksumKey = "NSStoreModelVersionChecksumKey"
    package static let identifiersKey = "NSStoreModelVersionIdentifiers"
    package static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
    /// The version of Core Data's file format that this package writes.
    package static let frameworkVersion = 1344
}
