import Foundation
import LabFiles
import Synchronization

/// A temporary folder with all stores of one run.
final class WorkingFolder: Sendable {
    private let folder: TemporaryFolder
    private let cells = Atomic<Int>(0)

    init() throws(FileProblem) { folder = try TemporaryFolder("lab") }

    var path: String { folder.path }

    func makeCell() throws -> String {
        let number = cells.add(1, ordering: .relaxed).newValue
        let folder = "\(path)/cell\(number)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    func remove() { folder.remove() }
}
