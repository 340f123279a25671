/// A matrix for one topology (arrangement of contexts) on one kind of store. Reports print it below
/// the main table.
package struct MatrixVariant: Codable, Sendable, Hashable {
    /// The effect of a merge policy on a bug, as a letter.
    package enum Mark: String, Codable, Sendable, CaseIterable {
        case error = "E"
        case prevented = "P"
        case correct = "C"
        case lost = "L"
        case wrong = "W"
        /// An outcome that the scenario file does not list, without a finding.
        case other = "?"
        /// The cell did not run, because the topology would change the scenario's meaning.
        case none = "–"

        package var meaning: String {
            switch self {
            case .error: "error: a save or a read failed"
            case .prevented: "prevented"
            case .correct: "correct"
            case .lost: "silently lost"
            case .wrong: "silently wrong"
            case .other: "an outcome that the file does not name, without a finding"
            case .none: "does not apply"
            }
        }
    }

    package struct Cell: Codable, Sendable, Hashable {
        package var mark: Mark
        package var text: String

        package init(_ mark: Mark, text: String = "") {
            self.mark = mark
            self.text = text
        }
    }

    package struct Row: Codable, Sendable, Hashable {
        /// The id of the same row in the main table.
        package var id: String
        package var cells: [Cell]

        package init(id: String, cells: [Cell]) {
            self.id = id
            self.cells = cells
        }

        package var letters: String { cells.map(\.mark.rawValue).joined(separator: " ") }
    }

    package var topology: String
    package var store: String
    /// The number of schedules that ran in each cell; nil if all schedules ran.
    package var sample: Int?
    package var rows: [Row]

    package init(topology: String, store: String, sample: Int? = nil, rows: [Row]) {
        self.topology = topology
        self.store = store
        self.sample = sample
        self.rows = rows
    }

    package var title: String {
        "\(topology), \(store)" + (sample.map { ", sampled at \($0)" } ?? "")
    }
}
