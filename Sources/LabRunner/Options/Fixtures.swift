import Foundation
import LabFiles

/// The real stores and models that some scenarios need. They are not part of the repository;
/// scenarios that lack them are skipped with a message.
package struct Fixtures: Sendable {
    package static let prefix = "fixtures:"

    /// The folder, or nil if it does not exist.
    package let folder: String?

    package init(folder: String?) {
        self.folder = folder
    }

    /// The folder in `FAULTLINE_FIXTURES`, otherwise `../shared/data` if that folder exists.
    package static func found(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        currentFolder: String = FileManager.default.currentDirectoryPath
    ) -> Fixtures {
        let path = environment["FAULTLINE_FIXTURES"] ?? "\(currentFolder)/../shared/data"
        return Fixtures(folder: FileManager.default.fileExists(atPath: path) ? path : nil)
    }

    /// The file that a scenario names.
    ///
    /// - Parameter path: the path in the scenario, with the prefix.
    /// - Returns: nil without a fixtures folder.
    /// - Throws: a ``FileProblem`` for a path that leaves the folder.
    func place(of path: String) throws(FileProblem) -> String? {
        guard let folder else { return nil }
        let inside = String(path.dropFirst(Self.prefix.count))
        guard !inside.hasPrefix("/") else {
            throw FileProblem(
                "'\(path)' starts with a slash", instead: "write 'fixtures:FOLDER/FILE'")
        }
        return try FileScope(folder: folder).place(of: inside, in: folder)
    }
}
