/// The optional abilities of a store, in addition to fetching and saving.
///
/// A request that needs a trait is rejected by a store without it; the error names the trait and
/// the store.
package struct StoreTraits: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The store records its transactions in a history (``HistoryStore``).
    package static let history = Self(rawValue: 1 << 0)
    /// The store runs batch requests (``BatchStore``).
    package static let batches = Self(rawValue: 1 << 1)
    /// The store can keep an earlier state for contexts that are pinned to a query generation.
    package static let heldState = Self(rawValue: 1 << 2)
    /// The store can return to an earlier state (``RewindableStore``).
    package static let rewinding = Self(rawValue: 1 << 3)
    /// The store computes derived attributes.
    package static let derivedValues = Self(rawValue: 1 << 4)
    /// The store enforces uniqueness constraints.
    package static let uniqueness = Self(rawValue: 1 << 5)
    /// Other coordinators can write the store, and notifications report these writes.
    package static let remoteChanges = Self(rawValue: 1 << 6)
    /// The store reports each SQL statement to the trace, and can return its query plan
    /// (``ExplainingStore``).
    package static let statements = Self(rawValue: 1 << 7)

    // MARK: Levels of isolation

    /// A transaction reads only committed rows.
    package static let readCommitted = Self(rawValue: 1 << 8)
    /// A row that a transaction has read does not change during the transaction.
    package static let repeatableRead = Self(rawValue: 1 << 9)
    /// Transactions behave as if they ran one after another.
    package static let serializable = Self(rawValue: 1 << 10)

    /// A pinned context reads and saves in one transaction.
    package static let heldSaves = Self(rawValue: 1 << 11)

    private static let names: [(trait: StoreTraits, text: String)] = [
        (.history, "track a history"), (.batches, "run batch requests"),
        (.heldState, "keep query generations"), (.rewinding, "go back to an earlier state"),
        (.derivedValues, "compute derived attributes"),
        (.uniqueness, "enforce uniqueness constraints"),
        (.remoteChanges, "announce the writes of other coordinators"),
        (.statements, "explain statements"), (.readCommitted, "isolate uncommitted rows"),
        (.repeatableRead, "repeat reads"), (.serializable, "serialize transactions"),
        (.heldSaves, "save in the state of a query generation"),
    ]

    /// The traits as text for an error message, such as "run batch requests".
    private var abilities: String {
        Self.names.filter { contains($0.trait) }.map(\.text).joined(separator: ", ")
    }

    /// The first half of an error message: the store lacks these traits.
    ///
    /// - Parameter type: the store's type.
    package func missing(in type: String) -> String {
        "a store of type '\(type)' does not \(abilities)"
    }
}

extension CoreDataError {
    /// The error for a request that needs traits which a store does not have.
    package static func missing(_ traits: StoreTraits, in type: String) -> CoreDataError {
        CoreDataError(
            .storeUnsupportedRequest,
            "The request cannot be run: \(traits.missing(in: type)). Use a store of another type.")
    }
}
