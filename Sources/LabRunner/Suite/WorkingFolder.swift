import Foundation

/// A folder that one run makes for itself and removes. Stores live there and nowhere else.
final class WorkingFolder {
    let path: String
    private var cells = 0

    init() throws {
        path = NSTemporaryDirectory() + "faultline-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// A new folder inside, for one cell.
    func makeCell() throws -> String {
        cells += 1
        let folder = "\(path)/cell\(cells)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
