/// The store of a scenario.
package struct StoreSpec: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case image = "sqlite-image"
        case file = "sqlite"
        /// Core Data's in-memory store, which does not enforce uniqueness constraints.
        case memory = "in-memory"
        /// Core Data's atomic stores, which read and write the whole file. They do not enforce
        /// uniqueness constraints.
        case xml, binary

        package var isSQLite: Bool { self == .image || self == .file }
    }

    package enum Journal: String, Sendable { case wal, delete }

    package var kind: Setting<Kind>
    package var journal: Setting<Journal>
    package var copyOf: Located<String>?
    package var position: SourcePosition

    package init(
        kind: Setting<Kind> = .value(.image), journal: Setting<Journal> = .value(.wal),
        copyOf: Located<String>? = nil, position: SourcePosition = .start
    ) {
        self.kind = kind
        self.journal = journal
        self.copyOf = copyOf
        self.position = position
    }
}
