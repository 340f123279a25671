import Foundation

/// The models and stores below a folder, in the order of their paths.
package struct SurveyFiles {
    let folder: String

    package init(folder: String) { self.folder = folder }

    /// The paths, relative to the folder.
    private func all() -> [String] {
        let found = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (found ?? []).sorted()
    }

    /// Folders and files that each are one version of a model.
    package func modelVersions() -> [String] {
        all().filter { path in
            path.hasSuffix(".xcdatamodel") || path.hasSuffix(".mom")
        }
    }

    /// Folders with the versions of a model.
    func versionFolders() -> [String] {
        all().filter { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".momd") }
    }

    /// Mapping models, in the editor's form or compiled.
    func mappingModels() -> [String] {
        all().filter { $0.hasSuffix(".xcmappingmodel") || $0.hasSuffix(".cdm") }
    }

    /// SQLite files whose schema contains Core Data's metadata.
    func stores() -> [String] {
        all().filter { path in
            let isSide = ["-wal", "-shm", "-journal"].contains { path.hasSuffix($0) }
            return !isSide && isStore(folder + "/" + path)
        }
    }

    private func isStore(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let head = try? file.read(upToCount: 16) else { return false }
        return head == Data("SQLite format 3\u{0}".utf8)
    }
}
