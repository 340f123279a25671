import LabResults
import ReportParts

extension Verdict {
    var colour: Terminal.Colour? {
        switch self {
        case .passed: .green
        case .failed, .nondeterministic: .red
        case .interesting, .inconclusive: .yellow
        case .skipped, .pending: .grey
        }
    }
}

extension Grade {
    var colour: Terminal.Colour? {
        switch self {
        case .acceptable: .green
        case .interesting: .yellow
        case .forbidden, .unmatched: .red
        case .defect: .bold
        }
    }
}

extension Classification {
    var colour: Terminal.Colour? {
        switch self {
        case .prevented, .correct: .green
        case .silentlyLost, .silentlyWrong: .red
        case .error: .yellow
        case .skipped: .grey
        }
    }
}
