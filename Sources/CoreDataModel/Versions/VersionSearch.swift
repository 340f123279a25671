import Foundation

/// Looks for the version of a model that a store was made with.
///
/// Called by migration. A version fits when its entities have the hashes that the store's
/// metadata names; a compiled model's `VersionInfo.plist` names the hashes of Xcode's compiler,
/// so that a store of another framework is found too.
package struct VersionSearch {
    private let hashes: [String: Data]
    private let checksum: String?

    /// Looks for entities with these hashes, by name.
    package init(hashes: [String: Data]) {
        self.hashes = hashes
        checksum = nil
    }

    /// Looks for a whole model with this version checksum.
    package init(checksum: String) {
        hashes = [:]
        self.checksum = checksum
    }

    /// The first version that fits.
    ///
    /// - Parameters:
    ///   - folder: an `.xcdatamodeld` or `.momd` to look in first; nil for none.
    ///   - bundles: whose models are looked through next.
    package func model(in folder: URL?, bundles: [Bundle]) -> NSManagedObjectModel? {
        if let folder, let found = model(in: folder) { return found }
        for bundle in bundles {
            for kind in ["momd", "xcdatamodeld", "mom", "xcdatamodel"] {
                let urls = bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? []
                for url in urls {
                    if let found = model(in: url as URL) { return found }
                }
            }
        }
        return nil
    }

    /// The version in a model file or folder that fits.
    package func model(in url: URL) -> NSManagedObjectModel? {
        switch url.pathExtension {
        case "momd":
            if let name = compiledVersion(url) {
                return try? NSManagedObjectModel.load(contentsOf: url, version: name)
            }
            return model(in: url, versions: ModelFile.compiledVersions(in: url))
        case "xcdatamodeld": return model(in: url, versions: ModelFile.versions(in: url))
        default: return fitting(try? NSManagedObjectModel.load(contentsOf: url))
        }
    }

    private func model(in url: URL, versions: [String]) -> NSManagedObjectModel? {
        for name in versions {
            let model = try? NSManagedObjectModel.load(contentsOf: url, version: name)
            if let found = fitting(model) { return found }
        }
        return nil
    }

    /// Whether the model has all entities that are asked for, with their hashes.
    package func fits(_ model: NSManagedObjectModel) -> Bool {
        if let checksum { return model.versionChecksum == checksum }
        let own = model.entityVersionHashesByName
        return !hashes.isEmpty && hashes.allSatisfy { own[$0.key] == $0.value }
    }

    private func fitting(_ model: NSManagedObjectModel?) -> NSManagedObjectModel? {
        model.flatMap { fits($0) ? $0 : nil }
    }

    private func compiledVersion(_ url: URL) -> String? {
        let info = VersionInfo(url)
        if let checksum { return info.checksums.first { $0.value == checksum }?.key }
        return info.hashes.first { $0.value == hashes }?.key
    }
}
