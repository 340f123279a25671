/// The kinds of result files.
///
/// Everything that writes or reads one uses it.
package enum ResultKind: String, Codable, Sendable, CaseIterable {
    case run = "faultline.run"
    case matrix = "faultline.matrix"
    case bench = "faultline.bench"
    case gate = "faultline.gate"
    case sql = "faultline.sql"
    case fetch = "faultline.fetch"
    case torture = "faultline.torture"

    /// The version of the file format that this tool writes.
    ///
    /// It grows when a field changes its meaning or goes away; a new optional field keeps it.
    package var formatVersion: Int { 1 }
}

/// The two fields that every result file begins with.
package struct ResultHeader: Codable, Sendable, Hashable {
    package var kind: ResultKind
    package var formatVersion: Int

    /// Makes the header of a file that this tool writes.
    package init(_ kind: ResultKind) {
        self.kind = kind
        self.formatVersion = kind.formatVersion
    }
}
