import Foundation
import LabFiles
import Synchronization

/// A folder that one run makes for itself and removes. Stores live there and nowhere else.
final class WorkingFolder: Sendable {
    private let folder: TemporaryFolder
    private let cells = Atomic<Int>(0)

    init() throws(FileProblem) { folder = try TemporaryFolder("lab") }

    var path: String { folder.path }

    /// A new folder inside, for one cell.
    func makeCell() throws -> String {
        let number = cells.add(1, ordering: .relaxed).newValue
        let folder = "\(path)/cell\(number)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    func remove() { folder.remove() }
}
