import CoreDataModel

extension ModelError {
    /// The findings in the format of compilers, so that an editor can open their positions.
    package var asCompilersWrite: String {
        findings.map { finding in
            let place = finding.location.map { "\($0): " } ?? ""
            return "\(place)error: \(finding.problem)"
        }.joined(separator: "\n")
    }
}
