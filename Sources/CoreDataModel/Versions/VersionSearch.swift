import Foundation

/// Searches for the version of a model with which a store was created.
///
/// A version fits if its entities have the hashes in the store's metadata. The `VersionInfo.plist`
/// of a compiled model contains the hashes of Xcode's compiler, so versions for stores of Apple's
/// framework are also found.
package struct VersionSearch {
    private let hashes: [String: Data]
    private let checksum: String?
    private let configuration: String?

    /// Searches for a version whose entities have these hashes.
    ///
    /// - Parameter configuration: the configuration of the store, which may have only some of the
    ///   version's entities. If it is nil, the version must have exactly the given entities.
    package init(hashes: [String: Data], configuration: String? = nil) {
        self.hashes = hashes
        self.configuration =
            configuration == NSManagedObjectModel.defaultConfigurationName ? nil : configuration
        checksum = nil
    }

    package init(checksum: String) {
        hashes = [:]
        configuration = nil
        self.checksum = checksum
    }

    /// How well a version fits, the best case first.
    package enum Fit: Int, Sendable {
        /// The version has exactly the required hashes.
        case whole
        /// The store's configuration has the required hashes in this version.
        case configuration
        /// The version has the required hashes and others.
        case part
        /// Entities of several models together have the required hashes.
        case merged

        package var reason: String {
            switch self {
            case .whole: "its hashes are those of the store"
            case .configuration: "its configuration has the hashes of the store"
            case .part: "it is the newest version that has the hashes of the store"
            case .merged: "these models together have the hashes of the store"
            }
        }
    }

    package struct Found {
        package let model: NSManagedObjectModel
        package let fit: Fit
    }

    /// The version that fits best. If two versions fit equally well, the newer version.
    package func version(in places: VersionPlaces) -> Found? {
        if let noted = places.files.lazy.compactMap(noted).first {
            return Found(model: noted, fit: .whole)
        }
        var best: Found?
        var seen: [NSManagedObjectModel] = []
        for model in places.models {
            seen.append(model)
            guard let fit = fit(of: model) else { continue }
            let found = Found(model: model, fit: fit)
            if fit == .whole { return found }
            if fit.rawValue < best?.fit.rawValue ?? .max { best = found }
        }
        return best ?? merged(seen)
    }

    package func model(in url: URL) -> NSManagedObjectModel? {
        version(in: VersionPlaces(files: [url]))?.model
    }

    // MARK: Fitting

    private func fit(of model: NSManagedObjectModel) -> Fit? {
        if let checksum { return model.versionChecksum == checksum ? .whole : nil }
        guard !hashes.isEmpty else { return nil }
        let known = [model.entityVersionHashesByName, model.compiledHashes]
        if known.contains(hashes) { return .whole }
        let hasAll = known.contains { own in hashes.allSatisfy { own[$0.key] == $0.value } }
        guard let configuration, hasAll else { return nil }
        let members = model.entities(forConfigurationName: configuration) ?? []
        return Set(members.compactMap(\.name)) == Set(hashes.keys) ? .configuration : .part
    }

    /// A model of the required entities, each from the first version that contains it. A
    /// coordinator's model may be merged from several models.
    private func merged(_ models: [NSManagedObjectModel]) -> Found? {
        guard checksum == nil, !hashes.isEmpty, models.count > 1 else { return nil }
        let metadata = [VersionDigest.hashesKey: hashes]
        return NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata).map {
            Found(model: $0, fit: .merged)
        }
    }

    private func noted(_ folder: URL) -> NSManagedObjectModel? {
        guard folder.pathExtension == "momd" else { return nil }
        let info = VersionInfo(folder)
        let name =
            if let checksum {
                info.checksums.first { $0.value == checksum }?.key
            } else {
                info.hashes.first { $0.value == hashes }?.key
            }
        return name.flatMap { try? NSManagedObjectModel.load(contentsOf: folder, version: $0) }
    }
}
