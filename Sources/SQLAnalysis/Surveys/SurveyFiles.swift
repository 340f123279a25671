import Foundation

/// Finds the models and stores below a folder, sorted by path.
package struct SurveyFiles {
    let folder: String

    package init(folder: String) { self.folder = folder }

    private func all() -> [String] {
        let found = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (found ?? []).sorted()
    }

    /// The files and folders that each contain one model version.
    package func modelVersions() -> [String] {
        all().filter { path in
            path.hasSuffix(".xcdatamodel") || path.hasSuffix(".mom")
        }
    }

    func versionFolders() -> [String] {
        all().filter { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".momd") }
    }

    /// The mapping models, both compiled and in the editor's format.
    func mappingModels() -> [String] {
        all().filter { $0.hasSuffix(".xcmappingmodel") || $0.hasSuffix(".cdm") }
    }

    /// The files that begin with the header of a SQLite database.
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
