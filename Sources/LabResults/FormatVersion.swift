/// The kinds of result files.
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
    /// It increases when a field is removed or changes its meaning; a new optional field does not
    /// change it.
    package var formatVersion: Int { 1 }
}

/// The two fields that every result file begins with.
package struct ResultHeader: Codable, Sendable, Hashable {
    package var kind: ResultKind
    package var formatVersion: Int

    /// Creates the header of a file of this tool.
    package init(_ kind: ResultKind) {
        self.kind = kind
        self.formatVersion = kind.formatVersion
    }
}
