import Foundation

/// The folder of real models and stores. Nil if it does not exist.
enum Fixtures {
    static let folder: URL? = {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["FAULTLINE_FIXTURES"]
        let url =
            named.map { URL(fileURLWithPath: $0) }
            ?? root.deletingLastPathComponent().appendingPathComponent("shared/data")
        let models = url.appendingPathComponent("models").path
        return FileManager.default.fileExists(atPath: models) ? url : nil
    }()

    static let areMissing =
        "no real models here: set FAULTLINE_FIXTURES to the folder that has models/ and stores/"

    /// A file below the folder of the models.
    static func model(_ path: String) -> URL {
        (folder ?? URL(fileURLWithPath: "/")).appendingPathComponent("models/" + path)
    }

    /// All version folders with a `contents` file.
    static var versionFolders: [URL] {
        guard let folder else { return [] }
        let models = folder.appendingPathComponent("models")
        let files = FileManager.default.enumerator(at: models, includingPropertiesForKeys: nil)
        return (files?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { $0.lastPathComponent == "contents" }
            .map { $0.deletingLastPathComponent() }
            .sorted { $0.path < $1.path }
    }
}
