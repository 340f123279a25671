import LabResults
import ReportParts

/// A page that compares the runs of the same scenarios on several stores.
///
/// The first store is the reference. The page states a reason for each difference from it.
package struct StoresMarkdown {
    /// The results of one store.
    package struct Column: Sendable {
        let store: String
        /// Whether contexts are pinned, because the store reads and saves in one transaction.
        let isPinned: Bool
        let report: RunReport

        package init(store: String, isPinned: Bool, report: RunReport) {
            self.store = store
            self.isPinned = isPinned
            self.report = report
        }
    }

    /// The reason for a difference from the reference, as far as error codes and the kind of the
    /// store show it.
    enum Difference: String, CaseIterable {
        case skipped = "s"
        case refused = "t"
        case foreignKey = "k"
        case pinned = "p"
        case counts = "n"
        case unexplained = "?"

        var meaning: String {
            switch self {
            case .skipped: "The scenario is skipped on this store; the list below has the reasons."
            case .refused:
                "A save or a read failed with 134030: another transaction changed rows that this"
                    + " one had read or wanted to change, so it could not be committed."
            case .foreignKey:
                "A save failed with 133000: a relationship is a foreign key, so a row cannot refer"
                    + " to a deleted row."
            case .pinned:
                "The contexts are pinned to the state of their first read, so they do not see later"
                    + " saves of others before their own next save, merge or reset."
            case .counts: "The outcomes are the same, in other numbers of schedules."
            case .unexplained: "No reason is known."
            }
        }
    }

    private let columns: [Column]
    private let groups: [Group]
    private let limit: Int?

    /// - Parameter limit: the maximum number of schedules of a cell; nil for that of the file.
    package init(_ columns: [Column], limit: Int? = nil) {
        self.columns = columns
        self.limit = limit
        groups = Self.groups(columns)
    }

    /// The scenarios and cures with a difference that has no known reason.
    package var unexplained: [String] {
        groups.filter { $0.differences.joined().contains(.unexplained) }.map(\.name)
    }

    // MARK: Scenarios

    /// The cells of one scenario or cure, in all columns.
    private struct Group {
        let name: String
        /// The cells of each column.
        let cells: [[ScenarioResult]]
        /// The differences of each column from the first one.
        let differences: [[Difference]]
    }

    private static func groups(_ columns: [Column]) -> [Group] {
        var names: [String] = []
        var cells: [String: [[ScenarioResult]]] = [:]
        for (index, column) in columns.enumerated() {
            for result in column.report.scenarios {
                if cells[result.name] == nil {
                    names.append(result.name)
                    cells[result.name] = columns.map { _ in [] }
                }
                cells[result.name]?[index].append(result)
            }
        }
        return names.map { name in
            let cells = cells[name] ?? []
            return Group(
                name: name, cells: cells,
                differences: zip(columns, cells).map { differences($1, cells[0], $0) })
        }
    }

    private static func differences(
        _ others: [ScenarioResult], _ own: [ScenarioResult], _ column: Column
    ) -> [Difference] {
        // A skipped file has a single result, without results of its cells and cures.
        if others.isEmpty || others.contains(where: { $0.verdict == .skipped }) {
            return own.allSatisfy { $0.verdict == .skipped } ? [] : [.skipped]
        }
        var found: Set<Difference> = []
        for cell in others {
            guard let reference = own.first(where: { $0.cellText == cell.cellText }) else {
                continue
            }
            found.formUnion(differences(cell, reference, column))
        }
        return Difference.allCases.filter(found.contains)
    }

    private static func differences(
        _ cell: ScenarioResult, _ reference: ScenarioResult, _ column: Column
    ) -> Set<Difference> {
        let (own, other) = (counts(reference), counts(cell))
        if own == other { return [] }
        var found: Set<Difference> = []
        let new = other.keys.filter { own[$0] == nil }
        if new.contains(where: { $0.contains("134030") }) { found.insert(.refused) }
        if new.contains(where: { $0.contains("133000") }) { found.insert(.foreignKey) }
        if column.isPinned, new.contains(where: { !$0.contains("134030") }) || found.isEmpty {
            found.insert(.pinned)
        }
        if found.isEmpty { found.insert(Set(own.keys) == Set(other.keys) ? .counts : .unexplained) }
        return found
    }

    /// The number of schedules of each outcome that occurred.
    private static func counts(_ result: ScenarioResult) -> [[String]: Int] {
        Dictionary(
            result.outcomes.filter { $0.count > 0 }.map { outcome in
                (outcome.observed.map(\.value), outcome.count)
            }, uniquingKeysWith: +)
    }

    // MARK: The page

    package var text: String {
        let parts = [
            "# Scenarios on several stores\n", introduction, totals.markdown(),
            "## The scenarios\n", Self.tableIntroduction, table.markdown(), "## The letters\n",
            legend.markdown(), skipped,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var introduction: String {
        let limit = limit.map { "\($0) schedules" } ?? "the schedules that its file asks for"
        return """
            This page is generated by `./faultline stores`. Each cell ran at most \(limit). The
            first store is that of the scenario's file.

            """
    }

    private static let tableIntroduction = """
        A cell has the number of schedules that end in the misbehaviour which the scenario
        describes, the number of all schedules, and the letters of the differences from the first
        store. Other outcomes that the file does not expect count as misbehaviour only if their file
        forbids them. If the walk was reduced, the first number counts the represented schedules,
        and can exceed the second one. Scenarios and cures without a difference and without
        misbehaviour are left out. The letters follow from the error codes of the new outcomes. At a
        level that pins contexts, p marks each difference that no error code explains, also one with
        another cause.

        """

    private static func table(_ titles: [String]) -> Table {
        Table(titles.map { Table.Column($0) })
    }

    private var totals: Table {
        var table = Self.table(["store", "cells", "schedules", "skipped files", "different"])
        for (index, column) in columns.enumerated() {
            let different = groups.filter { !$0.differences[index].isEmpty }.count
            table.add([
                column.store, "\(column.report.scenarios.count)",
                "\(column.report.summary.schedules)", "\(column.report.summary[.skipped])",
                index == 0 ? "" : "\(different)",
            ])
        }
        return table
    }

    private var table: Table {
        var table = Self.table(["scenario"] + columns.map(\.store))
        for group in groups {
            let texts = columns.indices.map { text(group, $0) }
            let isPlain = texts.allSatisfy { $0.hasPrefix("0/") && !$0.contains(" ") }
            if !isPlain { table.add([group.name] + texts) }
        }
        return table
    }

    private func text(_ group: Group, _ column: Int) -> String {
        let letters = column == 0 ? "" : group.differences[column].map(\.rawValue).joined()
        let cells = group.cells[column].filter { $0.verdict != .skipped }
        if cells.isEmpty { return letters.isEmpty ? "–" : letters }
        let bad = cells.flatMap(\.outcomes).filter { [.defect, .forbidden].contains($0.grade) }
        let numbers =
            "\(bad.reduce(0) { $0 + $1.count })/\(cells.reduce(0) { $0 + $1.schedules.explored })"
        return letters.isEmpty ? numbers : "\(numbers) \(letters)"
    }

    private var legend: Table {
        var table = Self.table(["letter", "reason"])
        let used = Set(groups.flatMap { $0.differences.joined() })
        for difference in Difference.allCases where used.contains(difference) {
            table.add([difference.rawValue, difference.meaning])
        }
        return table
    }

    private var skipped: String {
        var lines: [String] = []
        for column in columns.dropFirst() {
            for result in column.report.scenarios where result.verdict == .skipped {
                let reason = result.reasons.joined(separator: "; ")
                lines.append("- \(result.name) on \(column.store): \(reason)")
            }
        }
        return lines.isEmpty ? "" : "\n## Skipped\n\n" + lines.joined(separator: "\n") + "\n"
    }
}
