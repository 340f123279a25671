import Foundation

extension NSManagedObjectModel {
    /// Merges all models in bundles; nil where there is none, one cannot be read, or two differ
    /// in an entity of one name.
    ///
    /// Compiled models and the folders that they are made from are both found, because a package
    /// on Linux can carry an `.xcdatamodeld` as a resource.
    ///
    /// - Parameter bundles: nil for the main bundle. Where that has no model, as in a package, the
    ///   bundles of resources beside the program count as its own; so `Bundle(for:)` works too.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        models(in: bundles).flatMap { $0.isEmpty ? nil : NSManagedObjectModel(byMerging: $0) }
    }

    /// Finds the version that a store was made with among the models in bundles.
    ///
    /// All versions of each `.momd` and `.xcdatamodeld` are looked through. The result is the
    /// version whose hashes a store's metadata names; where none has all of them and no others, it
    /// is made of the entities that have them, those of newer versions first. Nil where an entity
    /// is missing. Reads every version, unless a compiler has noted the hashes of its `.momd`.
    ///
    /// - Parameter bundles: nil for the main bundle.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        let stored = metadata[VersionDigest.hashesKey] as? [String: Any] ?? [:]
        let search = VersionSearch(hashes: stored.compactMapValues { $0 as? Data })
        return search.version(in: VersionPlaces(files: modelURLs(in: bundles)))?.model
    }

    /// A package's resources lie in bundles beside the program, which has none itself; where the
    /// main bundle has no model, theirs are meant.
    private class func modelURLs(in bundles: [Bundle]?) -> [URL] {
        (bundles ?? [Bundle.main]).flatMap { bundle in
            let own = modelURLs(in: bundle)
            let isEmptyMain = own.isEmpty && bundle.bundleURL == Bundle.main.bundleURL
            return isEmptyMain ? programBundles.flatMap(modelURLs) : own
        }
    }

    private class func models(in bundles: [Bundle]?) -> [NSManagedObjectModel]? {
        var models: [NSManagedObjectModel] = []
        for url in modelURLs(in: bundles) {
            // Says in the log what is wrong with one that cannot be read.
            guard let model = NSManagedObjectModel(contentsOf: url) else { return nil }
            models.append(model)
        }
        return models
    }

    /// The model files in a bundle, and the folders with versions.
    class func modelURLs(in bundle: Bundle) -> [URL] {
        var urls: [URL] = []
        for kind in ["momd", "mom", "xcdatamodeld", "xcdatamodel"] {
            for url in bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? [] {
                urls.append(url as URL)
            }
        }
        return urls.sorted { $0.path < $1.path }
    }

    /// Reads the model of a name from the first bundle that has it.
    ///
    /// A program that was built as a package has its resources in folders beside it; these are
    /// looked into after the main bundle.
    ///
    /// - Parameter bundles: nil for the program's own.
    /// - Throws: what keeps the model from being read, or that there is none.
    package class func load(
        named name: String, in bundles: [Bundle]? = nil
    ) throws(ModelError) -> NSManagedObjectModel {
        let places = bundles ?? programBundles
        for bundle in places {
            for kind in ["momd", "mom", "xcdatamodeld", "xcdatamodel"] {
                if let url = bundle.url(forResource: name, withExtension: kind) {
                    return try load(contentsOf: url)
                }
            }
        }
        throw ModelFile.failure(
            .notAModel, Bundle.main.bundleURL.appendingPathComponent(name),
            "there is no model \"\(name)\" among the program's resources; add"
                + " \(name).xcdatamodeld to the target's resources, or make the model yourself and"
                + " use init(name:managedObjectModel:).")
    }

    private class var programBundles: [Bundle] {
        let beside = try? FileManager.default.contentsOfDirectory(
            at: Bundle.main.bundleURL, includingPropertiesForKeys: nil)
        let resources = (beside ?? []).filter { $0.pathExtension == "resources" }
            .sorted { $0.path < $1.path }
        return [Bundle.main] + resources.compactMap { Bundle(url: $0) }
    }

    /// The checksums of all versions in a folder, by the versions' names.
    ///
    /// The core of `checksumsForVersionedModel(at:)`.
    ///
    /// - Parameter url: a `.momd` or an `.xcdatamodeld`.
    /// - Throws: what keeps a version from being read.
    package class func versionChecksums(at url: URL) throws(ModelError) -> [String: String] {
        let isCompiled = url.pathExtension == "momd"
        let names = isCompiled ? ModelFile.compiledVersions(in: url) : ModelFile.versions(in: url)
        guard !names.isEmpty else {
            throw ModelFile.failure(
                .notAModel, url, "there are no versions; name a .momd or .xcdatamodeld folder.")
        }
        var checksums: [String: String] = [:]
        for name in names {
            checksums[name] = try load(contentsOf: url, version: name).versionChecksum
        }
        return checksums
    }
}
