import CoreDataModel

extension ModelError {
    /// The problems in the diagnostic format of compilers, so that editors can open their
    /// positions.
    package var asCompilersWrite: String {
        findings.map { finding in
            let place = finding.location.map { "\($0): " } ?? ""
            return "\(place)error: \(finding.problem)"
        }.joined(separator: "\n")
    }
}
