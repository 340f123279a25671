import Foundation

extension NSManagedObjectModel {
    /// Merges all models in bundles. Nil if no model exists, a model cannot be read, or two models
    /// define an entity differently.
    ///
    /// Finds compiled models and their source folders, because a package on Linux can contain an
    /// `.xcdatamodeld` as a resource.
    ///
    /// - Parameter bundles: nil for the main bundle. If the main bundle has no model, as in a
    ///   package, the resource bundles next to the program are also searched. Therefore a bundle
    ///   from `Bundle(for:)` works too.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        models(in: bundles).flatMap { $0.isEmpty ? nil : NSManagedObjectModel(byMerging: $0) }
    }

    /// Finds the version with which a store was created among the models in bundles.
    ///
    /// Searches all versions of each `.momd` and `.xcdatamodeld` for the hashes in the store's
    /// metadata. If no version has exactly these hashes, the result combines entities of several
    /// versions, and prefers newer versions. The result is nil if an entity is missing.
    ///
    /// Reads every version, unless a compiler has recorded the hashes of its `.momd`.
    ///
    /// - Parameter bundles: nil for the main bundle.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        let stored = metadata[VersionDigest.hashesKey] as? [String: Any] ?? [:]
        let search = VersionSearch(hashes: stored.compactMapValues { $0 as? Data })
        return search.version(in: VersionPlaces(files: modelURLs(in: bundles)))?.model
    }

    class func modelURLs(in bundles: [Bundle]?) -> [URL] {
        files(["momd", "mom", "xcdatamodeld", "xcdatamodel"], in: bundles)
    }

    /// The files with some extensions in bundles; nil for the main bundle. A package has its
    /// resources in bundles next to the program, which replace a main bundle without such files.
    package class func files(_ extensions: [String], in bundles: [Bundle]?) -> [URL] {
        (bundles ?? [Bundle.main]).flatMap { bundle in
            let own = files(extensions, in: bundle)
            let isEmptyMain = own.isEmpty && bundle.bundleURL == Bundle.main.bundleURL
            return isEmptyMain ? programBundles.flatMap { files(extensions, in: $0) } : own
        }
    }

    private class func models(in bundles: [Bundle]?) -> [NSManagedObjectModel]? {
        var models: [NSManagedObjectModel] = []
        for url in modelURLs(in: bundles) {
            // This initialiser logs the reason if the model cannot be read.
            guard let model = NSManagedObjectModel(contentsOf: url) else { return nil }
            models.append(model)
        }
        return models
    }

    private class func files(_ extensions: [String], in bundle: Bundle) -> [URL] {
        var urls: [URL] = []
        for kind in extensions {
            for url in bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? [] {
                urls.append(url as URL)
            }
        }
        return urls.sorted { $0.path < $1.path }
    }

    /// Reads the model with a name from the first bundle that contains it.
    ///
    /// A program that was built as a package has its resources in folders next to it, which are
    /// searched after the main bundle.
    ///
    /// - Parameter bundles: nil for the bundles of the program.
    /// - Throws: the reason why the model cannot be read or does not exist.
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
            "the program's resources contain no model \"\(name)\"; add"
                + " \(name).xcdatamodeld to the target's resources, or create the model in code and"
                + " use init(name:managedObjectModel:).")
    }

    /// The main bundle, and the resource bundles of package targets next to the program.
    package class var programBundles: [Bundle] {
        let beside = try? FileManager.default.contentsOfDirectory(
            at: Bundle.main.bundleURL, includingPropertiesForKeys: nil)
        let resources = (beside ?? []).filter { $0.pathExtension == "resources" }
            .sorted { $0.path < $1.path }
        return [Bundle.main] + resources.compactMap { Bundle(url: $0) }
    }

    /// The checksums of all versions in a folder, by version name.
    ///
    /// Implements `checksumsForVersionedModel(at:)`.
    ///
    /// - Parameter url: a `.momd` or an `.xcdatamodeld`.
    /// - Throws: the reason why a version cannot be read.
    package class func versionChecksums(at url: URL) throws(ModelError) -> [String: String] {
        let isCompiled = url.pathExtension == "momd"
        let names = isCompiled ? ModelFile.compiledVersions(in: url) : ModelFile.versions(in: url)
        guard !names.isEmpty else {
            throw ModelFile.failure(
                .notAModel, url, "the folder has no versions; use a .momd or .xcdatamodeld folder.")
        }
        var checksums: [String: String] = [:]
        for name in names {
            checksums[name] = try load(contentsOf: url, version: name).versionChecksum
        }
        return checksums
    }
}
