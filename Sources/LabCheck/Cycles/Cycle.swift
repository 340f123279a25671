import ContextHistory

/// Units of work that depend on each other in a circle. Running them one after another, in any
/// order, would lead to other reads or other final rows.
///
/// A read of an unsaved value that was dropped or replaced later (G1a, G1b) is also a `Cycle`, with
/// a single dependency.
package struct Cycle: Sendable, Hashable {
    /// The name of the anomaly, such as `lost update`.
    package let name: String
    /// The name in Adya's classification, such as `G-single`.
    package let adya: String
    /// The names of the units, in the order of the dependencies.
    package let units: [String]
    /// The dependencies, one sentence each.
    package let links: [String]
    /// The steps of the units.
    package let steps: Set<String>
    /// The steps of the saves of the units.
    package let saves: Set<String>

    /// The anomaly and its units in one line.
    package var title: String {
        let circle = units + (links.count > 1 ? units.prefix(1) : [])
        return "\(name) (\(adya)): \(circle.joined(separator: " → "))"
    }

    /// The title, and a line for each dependency.
    package var lines: [String] { [title] + links.map { "  \($0)" } }

    init(_ dependencies: [Dependency], in units: [WorkUnit], name: String, adya: String) {
        let members =
            dependencies.count == 1
            ? [units[dependencies[0].from], units[dependencies[0].to]]
            : dependencies.map { units[$0.from] }
        self.name = name
        self.adya = adya
        self.units = members.map(\.name)
        links = dependencies.map { $0.text(units) }
        steps = Set(members.flatMap(\.steps))
        saves = Set(members.compactMap(\.savedIn))
    }

    init(_ dependencies: [Dependency], in units: [WorkUnit]) {
        let (name, adya) = Self.name(of: dependencies)
        self.init(dependencies, in: units, name: name, adya: adya)
    }

    private static func name(of links: [Dependency]) -> (String, String) {
        let reversed = links.filter { $0.kind == .readWrite }
        switch reversed.count {
        case 0:
            return links.allSatisfy { $0.kind == .writeWrite }
                ? ("dirty write", "G0") : ("circular information flow", "G1c")
        case 1:
            let others = links.filter { $0.kind != .readWrite }
            let isLost =
                others.count == 1 && others[0].kind == .writeWrite && reversed[0].item != nil
                && others[0].item == reversed[0].item
            return (isLost ? "lost update" : "read skew", "G-single")
        default:
            let adya = reversed.allSatisfy { $0.item != nil } ? "G2-item" : "G2"
            return (links.count == 2 ? "write skew" : "circle of stale reads", adya)
        }
    }
}

extension Cycle {
    /// The cycles of a history, in the order of their first units. Equal anomalies of the same
    /// units are one cycle.
    package static func all(in history: History) -> [Cycle] {
        let graph = DependencyGraph(history)
        return graph.unsavedReads + graph.cycles()
    }

    /// Names of findings, with the names of the cycles that prove them.
    private static let kinds: [String: [String]] = [
        "lost update": ["lost update"], "lost property": ["lost update"],
        "write skew": ["write skew", "circle of stale reads"], "read skew": ["read skew"],
        "unique race": ["write skew", "circle of stale reads"],
        "phantom": ["read skew", "write skew"],
        "dirty read": ["dirty read"], "intermediate read": ["intermediate read"],
    ]

    /// The cycle that proves a finding; nil if the history has no such cycle.
    package static func of(_ finding: Detection, in cycles: [Cycle]) -> Cycle? {
        guard let kinds = kinds[finding.name] else { return nil }
        let proof = Set(finding.evidence.map { String($0.prefix { $0 != ":" }) } + [finding.step])
        func rank(_ cycle: Cycle) -> (Int, Int) {
            (kinds.contains(cycle.name) ? 1 : 0, proof.intersection(cycle.steps).count)
        }
        return cycles.filter { cycle in
            cycle.steps.contains(finding.step) && rank(cycle).1 > 0
                && (rank(cycle).0 > 0 || proof.intersection(cycle.saves).count > 1)
        }.max { rank($0) < rank($1) }
    }
}
