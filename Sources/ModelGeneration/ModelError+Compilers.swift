import CoreDataModel

extension ModelError {
    /// The findings as compilers write errors, so that an editor leads to the place.
    package var asCompilersWrite: String {
        findings.map { finding in
            let place = finding.location.map { "\($0): " } ?? ""
            return "\(place)error: \(finding.problem)"
        }.joined(separator: "\n")
    }
}
