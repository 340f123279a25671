/// The kinds of result files.
package enum ResultKind: String, Codable, Sendable, CaseIterable {
    case run = "faultline.run"
    case matrix = "faultline.matrix"
    case bench = "faultline.bench"
    case gate = "faultline.gate"
    case sql = "faultline.sql"
    case fetch = "faultline.fetch"
    case torture = "faultline.torture"

    /// The version of the file formats that this tool writes.
    ///
    /// It increases if a field is removed or gets another meaning. It does not increase if an
    /// optional field is added.
    package var formatVersion: Int { 1 }
}

/// The first two fields of every result file.
package struct ResultHeader: Codable, Sendable, Hashable {
    package var kind: ResultKind
    package var formatVersion: Int

    package init(_ kind: ResultKind) {
        self.kind = kind
        self.formatVersion = kind.formatVersion
    }
}
