import BenchCommands
import Foundation
import LabFiles
import LabReport
import LabResults
import ReportParts

/// The pages of the tool's command `report`.
enum AllPages: PageSource {
    static let help = "JSON files that run, matrix or bench wrote; at most one of each."

    static func page(_ kind: ResultKind, _ data: Data, file: String) throws -> SitePage? {
        switch kind {
        case .run: try ResultFile.read(RunReport.self, from: data, file: file).map { try .run($0) }
        case .matrix:
            try ResultFile.read(MatrixResult.self, from: data, file: file).map { try .matrix($0) }
        case .bench, .gate, .sql, .fetch, .torture:
            try BenchPages.page(kind, data, file: file)
        }
    }
}
