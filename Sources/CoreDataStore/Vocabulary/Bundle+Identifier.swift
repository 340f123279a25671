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
    /// instead.
    public func resourceURLs(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?
    ) -> [URL]? {
        urls(forResourcesWithExtension: ext, subdirectory: subpath)?.map { $0 as URL }
    }
}
