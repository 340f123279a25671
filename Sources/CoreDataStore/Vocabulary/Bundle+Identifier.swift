import Foundation

extension Bundle {
    /// The bundle of an identifier: one that is loaded, or the resources of the package's target
    /// that the identifier ends with, as `com.example.Model` does with `Model`.
    ///
    /// A package's resources are in folders `Package_Target.resources` beside the program here,
    /// and have no identifiers.
    public static func named(identifier: String) -> Bundle? {
        if let loaded = Bundle(identifier: identifier) { return loaded }
        guard let target = identifier.split(separator: ".").last else { return nil }
        let place = Bundle.main.bundleURL
        for folder in [place, place.deletingLastPathComponent()] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
            let found = (names ?? []).filter { $0.hasSuffix("_\(target).resources") }.sorted()
            if let name = found.first { return Bundle(url: folder.appendingPathComponent(name)) }
        }
        return nil
    }

    /// The resources of a kind, as values; Foundation gives objects here.
    public func resourceURLs(
        forResourcesWithExtension ext: String?, subdirectory subpath: String?
    ) -> [URL]? {
        urls(forResourcesWithExtension: ext, subdirectory: subpath)?.map { $0 as URL }
    }
}
