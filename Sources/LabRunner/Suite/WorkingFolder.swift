import Foundation
import LabFiles

/// A folder that one run makes for itself and removes. Stores live there and nowhere else.
final class WorkingFolder {
    private let folder: TemporaryFolder
    private var cells = 0

    init() throws(FileProblem) { folder = try TemporaryFolder("lab") }

    var path: String { folder.path }

    /// A new folder inside, for one cell.
    func makeCell() throws -> String {
        cells += 1
        let folder = "\(path)/cell\(cells)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    func remove() { folder.remove() }
}
