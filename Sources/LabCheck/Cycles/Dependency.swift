import ContextHistory

/// The reads and changes of a context between two saves or rollbacks. Each batch request, and each
/// write by another process, is a separate unit.
package struct WorkUnit: Sendable, Hashable {
    package let context: String
    /// The steps in which the context read, changed or saved something in this unit.
    package internal(set) var steps: [String] = []
    /// The step of the save; nil if the unit ended without a save.
    package internal(set) var savedIn: String?
    /// Whether the context dropped changes of this unit, so that no store ever had them.
    package internal(set) var isAborted = false

    package var name: String {
        savedIn.map { "\(context)'s save in \($0)" }
            ?? "\(context)'s reads in \(steps.first ?? "?")"
    }
}

/// A reason why one unit must run before another one. Otherwise, running the units one after
/// another would lead to other reads or other final rows.
package struct Dependency: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The second unit replaced a value of the first unit.
        case writeWrite = "ww"
        /// The second unit read a value of the first unit.
        case writeRead = "wr"
        /// The second unit replaced a value that the first unit had read.
        case readWrite = "rw"
    }

    /// The value or search that shows the dependency.
    enum Ground: Sendable, Hashable {
        /// A property of a row, and its versions in the two units. The second version is nil if the
        /// second unit deleted the row.
        case item(String, first: Int, second: Int?)
        /// An unsaved value of the first unit.
        case unsaved(String)
        /// A change of the first unit that its save dropped, because the row already had a newer
        /// value of the second unit.
        case dropped(String, Int)
        /// A search, and the row whose change affects its result.
        case search(String, row: String, Effect)
    }

    enum Effect: String, Sendable, Hashable {
        case inserted, deleted, changed
    }

    package let kind: Kind
    /// The numbers of the units in ``DependencyGraph/units``.
    package let from: Int
    package let to: Int
    let ground: Ground

    package init(kind: Kind, from: Int, to: Int, item: String) {
        self.init(kind: kind, from: from, to: to, .item(item, first: 0, second: 0))
    }

    init(kind: Kind, from: Int, to: Int, _ ground: Ground) {
        self.kind = kind
        self.from = from
        self.to = to
        self.ground = ground
    }

    /// The property whose value is replaced; nil for a search.
    var item: String? {
        switch ground {
        case .item(let item, _, _), .unsaved(let item), .dropped(let item, _): item
        case .search: nil
        }
    }

    /// The dependency as a sentence without a period.
    func text(_ units: [WorkUnit]) -> String {
        let (first, second) = (units[from].name, units[to].name)
        return switch (ground, kind) {
        case (.item(let item, let old, let new), .writeWrite):
            "\(first) wrote \(item) at version \(old), and \(second) \(Self.text(new))"
        case (.item(let item, let version, _), .writeRead):
            "\(first) wrote \(item) at version \(version), and \(second) is based on it"
        case (.item(let item, let old, let new), .readWrite):
            "\(first) is based on \(item) at version \(old), and \(second) \(Self.text(new))"
        case (.unsaved(let item), .readWrite):
            "\(first) is based on \(item), which \(second) replaced before it was saved"
        case (.unsaved(let item), .writeWrite):
            "\(first) set \(item), and \(second) replaced the unsaved value"
        case (.unsaved(let item), .writeRead):
            "\(first) set \(item), and \(second) is based on the unsaved value"
        case (.dropped(let item, let version), _):
            "\(first) did not write its value of \(item), because version \(version) of"
                + " \(second) was newer"
        case (.search(let query, let row, let effect), .readWrite):
            "\(first) searched \(query), and \(second) then \(effect.rawValue) \(row)"
        case (.search(let query, let row, let effect), _):
            "\(first) \(effect.rawValue) \(row), and \(second) searched \(query) afterwards"
        }
    }

    private static func text(_ version: Int?) -> String {
        version.map { "replaced it with version \($0)" } ?? "deleted the row"
    }
}
