// Owns bench reports on disk: what `--save` writes and `--baseline` reads.

import Foundation
import LabResults

/// Reads and writes bench reports as JSON.
package enum BenchReportFile {
    /// Reads a report.
    ///
    /// Throws when there is no such file, it is not a bench report, or another version wrote it.
    package static func read(_ file: String) throws(InputError) -> BenchReport {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw InputError(
                file: file, problem: "the file cannot be read",
                remedy: "name a report that `faultline bench --save FILE` wrote")
        }
        return try parse(bytes, file: file)
    }

    /// Reads the bytes of a report.
    package static func parse(_ bytes: Data, file: String) throws(InputError) -> BenchReport {
        struct Start: Decodable { var header: ResultHeader }
        do {
            let header = try JSONDecoder().decode(Start.self, from: bytes).header
            let expected = ResultHeader(.bench)
            guard header == expected else {
                throw InputError(
                    file: file, line: 1, column: 1,
                    problem: "the file is \(header.kind.rawValue) version \(header.formatVersion)",
                    remedy: "name a \(expected.kind.rawValue) file of version "
                        + "\(expected.formatVersion), or write it anew with "
                        + "`faultline bench --save FILE`")
            }
            return try JSONDecoder().decode(BenchReport.self, from: bytes)
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError(
                file: file, line: 1, column: 1,
                problem: "the file is not a bench report (\(reason(error)))",
                remedy: "name a report that `faultline bench --save FILE` wrote")
        }
    }

    /// Writes a report so that equal reports have equal bytes.
    package static func write(_ report: BenchReport, to file: String) throws(InputError) {
        do {
            try bytes(report).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw InputError(
                file: file, problem: "the file cannot be written",
                remedy: "name a file in a folder that exists and may be written")
        }
    }

    /// The bytes of a report's file.
    package static func bytes(_ report: BenchReport) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(report) + Data("\n".utf8)
    }

    private static func reason(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, _): "`\(key.stringValue)` is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "`\(context.codingPath.map(\.stringValue).joined(separator: "."))` holds something else"
        default: "it is not JSON of that kind"
        }
    }
}
