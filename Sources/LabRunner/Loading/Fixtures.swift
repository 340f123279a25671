import Foundation

/// Where the real stores and models are that some scenarios need. They are not part of the
/// repository; what needs them and misses them is skipped, and said.
package struct Fixtures: Sendable {
    package static let prefix = "fixtures:"

    /// The folder, or nil if there is none.
    package let folder: String?

    package init(folder: String?) {
        self.folder = folder
    }

    /// The folder that `FAULTLINE_FIXTURES` names, else `../shared/data`, if it exists.
    package static func found(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        currentFolder: String = FileManager.default.currentDirectoryPath
    ) -> Fixtures {
        let path = environment["FAULTLINE_FIXTURES"] ?? "\(currentFolder)/../shared/data"
        return Fixtures(folder: FileManager.default.fileExists(atPath: path) ? path : nil)
    }

    /// The file that a scenario means.
    ///
    /// - Parameters:
    ///   - path: as the scenario writes it, with or without the prefix.
    ///   - scenario: the scenario's file.
    /// - Returns: nil for a fixture while there is no fixtures folder.
    func resolve(_ path: String, besideFile scenario: String) -> String? {
        if path.hasPrefix(Self.prefix) {
            return folder.map { "\($0)/\(path.dropFirst(Self.prefix.count))" }
        }
        if path.hasPrefix("/") { return path }
        let base = URL(fileURLWithPath: scenario).deletingLastPathComponent()
        return base.appendingPathComponent(path).path
    }
}
