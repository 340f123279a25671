import ArgumentParser
import Foundation
import LabBench
import LabResults

/// The limits of `gate` and `compare`.
package struct ThresholdsGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The limits; without it thresholds.yaml beside the workloads.", valueName: "file"))
    package var thresholds: String?

    package init() {}

    /// The limits of the file, of one beside the workloads, or the usual ones.
    func read(beside files: [String] = []) throws -> Thresholds {
        if let thresholds { return try Thresholds.read(thresholds) }
        let folders = files.flatMap {
            [$0, URL(fileURLWithPath: $0).deletingLastPathComponent().path]
        }
        let beside = folders.map { $0 + "/" + Thresholds.fileName }
            .first { FileManager.default.fileExists(atPath: $0) }
        return try beside.map { try Thresholds.read($0) } ?? Thresholds()
    }
}
