import FaultlineRecorder
import Foundation

/// Another name for `FaultlineRecorder.Recorder`, because the lab has its own `Recorder` for
/// scenarios.
typealias CodeRecorder = FaultlineRecorder.Recorder

/// Writes a schedule of code as a scenario file if the options request one. The user can share this
/// file without the code.
struct CodeRecording {
    let name: String
    /// Nil if no file is requested.
    private let folder: URL?
    private let values: CodeRecorder.Values

    /// - Parameter folder: the folder of the page. The environment variable `FAULTLINE_RECORD`
    ///   overrides it.
    init(name: String, folder: URL?) {
        self.name = name
        let environment = ProcessInfo.processInfo.environment
        let options = EnvironmentRecorder.options(environment)
        let report = environment["FAULTLINE_REPORT"] ?? ""
        self.folder =
            options?.folder ?? folder ?? (report.isEmpty ? nil : URL(fileURLWithPath: report))
        let isSaid = environment["FAULTLINE_RECORD_VALUES"] != nil
        values = isSaid ? options?.values ?? .full : .full
    }

    /// Runs the schedule once more with a recorder.
    ///
    /// - Returns: the path of the file, or the reason why it does not exist; nil if no file is
    ///   requested.
    func place(
        of witness: CodeExploration.Witness, _ exploration: CodeExploration
    ) -> String? {
        guard let folder else { return nil }
        var options = CodeRecorder.Options(values: values)
        options.name = name
        let recorder = CodeRecorder.make(options)
        do {
            let again = try exploration.run(witness.path, recorder: recorder)
            guard again.path == witness.path else {
                return "not written, because the schedule took other steps this time"
            }
            let files = try recorder.write(
                to: folder,
                reason: "Lab.explore(\"\(name)\") has found the schedule "
                    + "\(exploration.token(witness)).")
            return files.scenario.path
        } catch {
            return "could not be written to \(folder.path): \(error)"
        }
    }
}
