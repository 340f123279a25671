import Foundation

extension Bundle {
    /// The bundle with an identifier: a loaded one, or the resources of the package's target with
    /// which the identifier ends, as `com.example.Model` ends with `Model`.
    ///
    /// Here a package's resources are in folders `Package_Target.resources` next to the program,
    /// without identifiers.
    public static func named(identifier: String) -> Bundle? {
        if let loaded = Bundle(identifier: identifier) { return loaded }
        return identifier.split(separator: ".").last.flatMap { resources(ofTarget: String($0)) }
    }

    /// The bundle of a class: the resources of the package's target that declares it, or the
    /// program's if that has none.
    ///
    /// Replaces `Bundle(for:)`, which only knows the program here.
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

    /// The resources of a kind, as values; Foundation returns objects here.
    public func resourceURLs(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?
    ) -> [URL]? {
        urls(forResourcesWithExtension: ext, subdirectory: subpath)?.map { $0 as URL }
    }
}
