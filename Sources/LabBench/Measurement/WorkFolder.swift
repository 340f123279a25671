// Owns the folder that a run makes for its files, and takes it away again.

import Foundation

/// A new folder that nothing else uses.
struct WorkFolder: ~Copyable {
    let path: String

    init() throws(MeasurementError) {
        let name = "faultline-bench-\(UUID().uuidString)"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw MeasurementError("the folder \(path) could not be made: \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
