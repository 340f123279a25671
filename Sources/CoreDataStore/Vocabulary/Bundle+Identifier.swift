import Foundation

extension Bundle {
    /// The bundle of an identifier: one that is loaded, or a resource bundle beside the program
    /// whose `Info.plist` has the identifier.
    ///
    /// A package's resources are in folders `Package_Target.resources` here, which nobody has
    /// loaded before a program asks for the first of them.
    public static func named(identifier: String) -> Bundle? {
        if let loaded = Bundle(identifier: identifier) { return loaded }
        let folders = [Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
        for folder in folders {
            let contents = try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            let bundles = (contents ?? []).filter { $0.pathExtension == "resources" }
            for url in bundles.sorted(by: { $0.path < $1.path }) {
                if let bundle = Bundle(url: url), self.identifier(ofBundleAt: url) == identifier {
                    return bundle
                }
            }
        }
        return nil
    }

    private static func identifier(ofBundleAt url: URL) -> String? {
        guard let data = try? Data(contentsOf: url.appendingPathComponent("Info.plist")),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { return nil }
        return (list as? [String: Any])?["CFBundleIdentifier"] as? String
    }
}
