import CoreDataModel
import Foundation

extension Bundle {
    /// The loaded bundle with an identifier, or the resource bundle of the package target that the
    /// identifier's last component names.
    ///
    /// For example, `com.example.Model` names the target `Model`.
    ///
    /// On Linux, a package's resources are in folders `Package_Target.resources` next to the
    /// program, and these bundles have no identifiers.
    public static func named(identifier: String) -> Bundle? {
        if let loaded = Bundle(identifier: identifier) { return loaded }
        return identifier.split(separator: ".").last.flatMap { resources(ofTarget: String($0)) }
    }

    /// The resource bundle of the package target that declares a class, or the main bundle if the
    /// target has no resources.
    ///
    /// Replaces `Bundle(for:)`, which on Linux returns only the main bundle.
    public static func ofTarget(for type: AnyClass) -> Bundle {
        let module = String(reflecting: type).prefix { $0 != "." }
        return resources(ofTarget: String(module)) ?? Bundle(for: type)
    }

    private static func resources(ofTarget target: String) -> Bundle? {
        let place = Bundle.main.bundleURL
        for folder in [place, place.deletingLastPathComponent()] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
            let found = (names ?? []).filter { name in
                // A module has no hyphens in its name; a target may.
                name.replacing("-", with: "_")
                    .hasSuffix("_\(target.replacing("-", with: "_")).resources")
            }.sorted()
            if let name = found.first { return Bundle(url: folder.appendingPathComponent(name)) }
        }
        return nil
    }

    /// The URLs of the resources of a kind. On Linux, Foundation's method returns `NSURL` objects
    /// instead. The main bundle also finds the resources of the program's package targets.
    public func resourceURLs(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?
    ) -> [URL]? {
        let found = searched.lazy.compactMap {
            $0.urls(forResourcesWithExtension: ext, subdirectory: subpath)
        }
        return (found.first { !$0.isEmpty } ?? found.first)?.map { $0 as URL }
    }

    /// The URL of a resource. The main bundle also finds the resources of the program's package
    /// targets, which on Apple's systems are in the main bundle.
    public func resourceURL(
        forResource name: String?, withExtension ext: String?, subdirectory subpath: String? = nil
    ) -> URL? {
        searched.lazy.compactMap {
            $0.url(forResource: name, withExtension: ext, subdirectory: subpath)
        }.first
    }

    /// The path of a resource; see ``resourceURL(forResource:withExtension:subdirectory:)``.
    public func resourcePath(
        forResource name: String?, ofType ext: String?, inDirectory subpath: String? = nil
    ) -> String? {
        resourceURL(forResource: name, withExtension: ext, subdirectory: subpath)?.path
    }

    /// The paths of the resources of a kind; see
    /// ``resourceURLs(forResourcesWithExtension:subdirectory:)``.
    public func resourcePaths(
        forResourcesOfType ext: String?, inDirectory subpath: String?
    ) -> [String] {
        resourceURLs(forResourcesWithExtension: ext, subdirectory: subpath)?.map(\.path) ?? []
    }

    /// The bundle, and for the main bundle those of the program's package targets.
    private var searched: [Bundle] {
        bundleURL == Bundle.main.bundleURL ? NSManagedObjectModel.programBundles : [self]
    }
}
