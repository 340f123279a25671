/// The rows of a fetch in the requested order, in blocks of at most `RowBlockBuilder.rowsPerBlock`
/// rows.
package struct FetchedRows: Sendable {
    package var blocks: [RowBlock]

    package init(blocks: [RowBlock] = []) { self.blocks = blocks }

    package var count: Int { blocks.reduce(0) { $0 + $1.count } }

    package var references: [RowReference] {
        blocks.flatMap { block in
            (0..<block.count).map { RowReference(block: block, index: $0) }
        }
    }

    package var keys: [ObjectKey] {
        // This creates no row references, each of which would retain its block.
        blocks.flatMap { block in
            (0..<block.count).map { index in
                let cells = block.cells(at: index)
                return ObjectKey(entity: RowFormat.entity(cells), key: RowFormat.key(cells))
            }
        }
    }
}

/// The keys of a fetch in the requested order, in pages of a few thousand keys.
///
/// A single array would be copied each time it grows, and mapping its memory would take longer than
/// reading the keys. Code that creates objects for the keys releases each page before it takes the
/// next one. So the objects reuse the page's memory.
package typealias KeyPages = [KeyPage]

/// The keys of a page. If all keys have the same entity, each key takes one word.
package enum KeyPage: Sendable {
    case ofEntity(Int, ContiguousArray<Int64>)
    case ofFamily(ContiguousArray<ObjectKey>)

    package static let empty = KeyPage.ofFamily([])

    package var count: Int {
        switch self {
        case .ofEntity(_, let keys): keys.count
        case .ofFamily(let keys): keys.count
        }
    }

    package var keys: ContiguousArray<ObjectKey> {
        switch self {
        case .ofEntity(let entity, let keys):
            ContiguousArray(keys.lazy.map { ObjectKey(entity: entity, key: $0) })
        case .ofFamily(let keys): keys
        }
    }
}

extension KeyPages {
    package var allKeys: ContiguousArray<ObjectKey> {
        count == 1 ? self[0].keys : ContiguousArray(lazy.map(\.keys).joined())
    }

    package var total: Int { reduce(0) { $0 + $1.count } }

    /// Calls the body with each page, and releases the page before the next call.
    package mutating func takeEachPage(_ body: (KeyPage) -> Void) {
        for index in indices {
            let page = self[index]
            self[index] = .empty
            body(page)
        }
    }
}

/// The destinations of one relationship for many owners.
package struct FetchedDestinations: Sendable {
    package var members: Members
    /// The destinations' rows, if the store has read them.
    package var rows: FetchedRows

    /// The destinations of each owner, in the order of the relationship.
    package enum Members: Sendable {
        /// The keys of the destinations, one owner after another, and the number of destinations
        /// for each owner.
        case keys(ContiguousArray<ObjectKey>, counts: ContiguousArray<Int>)
        /// The number of destinations for each owner. The keys are those of the rows, in the order
        /// of the owners. Used for relationships whose destinations have one owner.
        case counts(ContiguousArray<Int>)

        /// Creates the members from the destination keys of each owner.
        package static func keys(_ lists: [[ObjectKey]]) -> Members {
            .keys(ContiguousArray(lists.joined()), counts: ContiguousArray(lists.map(\.count)))
        }
    }

    package init(members: Members, rows: FetchedRows) {
        self.members = members
        self.rows = rows
    }

    package static func none(for owners: Int) -> FetchedDestinations {
        FetchedDestinations(
            members: .counts(ContiguousArray(repeating: 0, count: owners)), rows: FetchedRows())
    }

    package var keysByOwner: [[ObjectKey]] {
        switch members {
        case .keys(let keys, let counts): Self.group(Array(keys)[...], by: counts)
        case .counts(let counts): Self.group(rows.keys[...], by: counts)
        }
    }

    private static func group(
        _ keys: ArraySlice<ObjectKey>, by counts: ContiguousArray<Int>
    ) -> [[ObjectKey]] {
        var rest = keys
        return counts.map { count in
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }
}
