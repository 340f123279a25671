import ContextHistory
import Foundation
import LabCheck
import LabFiles
import LabReport
import LabResults
import ReportParts

/// Writes the HTML page of an exploration if the options request one.
struct CodePageWriter {
    private let name: String
    private let test: String
    /// Nil if no page is requested.
    private let folder: URL?

    /// - Parameter folder: the folder of the options; nil for the folder in `FAULTLINE_REPORT`.
    init(name: String, test: String, folder: URL?) {
        self.name = name
        self.test = test
        let named = ProcessInfo.processInfo.environment["FAULTLINE_REPORT"] ?? ""
        self.folder = folder ?? (named.isEmpty ? nil : URL(fileURLWithPath: named))
    }

    /// - Throws: ``CodeError`` if the page cannot be written.
    func write(_ report: CodeReport) throws {
        guard let folder else { return }
        let schedules = ScheduleCount(
            explored: report.schedules, strategy: report.strategy, stoppedAt: report.stoppedAt)
        let result = CodeResult(
            name: name, test: test, schedules: schedules, outcomes: report.outcomes)
        do { _ = try write(result, to: folder) } catch {
            throw CodeError.unusable("no page could be written to \(folder.path): \(error)")
        }
    }

    /// The path of the page of a failure, or the reason why it was not written; nil if no page is
    /// requested.
    func place(of failure: CodeFailure) -> String? {
        guard let folder else { return nil }
        do {
            return try write(result(of: failure), to: folder)
        } catch {
            return "could not be written to \(folder.path): \(error)"
        }
    }

    private func write(_ result: CodeResult, to folder: URL) throws -> String {
        let file = CodePage.file(result)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let place = folder.appendingPathComponent(file.name)
        try OutputFile.write(Array(file.text.printable.utf8), to: place.path)
        return place.path
    }

    private func result(of failure: CodeFailure) -> CodeResult {
        let findings = failure.findings.enumerated().map { index, finding in
            Finding(
                id: "finding-\(index + 1)", name: finding.name, adya: finding.adya,
                prose: finding.prose, evidence: finding.evidence, step: finding.step,
                cycle: Cycle.of(finding, in: failure.proofs).map(Finding.Cycle.init),
                token: failure.token)
        }
        let named = findings.compactMap(\.cycle?.title)
        let others = failure.proofs.filter { !named.contains($0.title) }
        return CodeResult(
            name: failure.name, test: test,
            schedules: ScheduleCount(
                explored: failure.schedules, strategy: "until one failed"),
            witness: CodeResult.Witness(
                reasons: failure.failures
                    + others.map { $0.lines.joined(separator: "\n") }
                    + (failure.waits.isEmpty ? [] : [failure.waits.joined(separator: "\n")]),
                findings: findings, token: failure.token, command: failure.command,
                story: failure.story, timeline: failure.timeline),
            policies: failure.policies,
            cures: failure.cures.map {
                CodeResult.Cure(name: $0.name, result: $0.result, helps: $0.helps)
            })
    }
}
