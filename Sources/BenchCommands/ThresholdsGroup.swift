import ArgumentParser
import Foundation
import LabBench

/// The limits of `gate` and `compare`.
package struct ThresholdsGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The limits; by default thresholds.yaml next to the workloads.", valueName: "file"))
    package var thresholds: String?

    package init() {}

    /// Reads the limits from the file of the option, or else from thresholds.yaml next to the
    /// workloads. If neither exists, returns the defaults.
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
