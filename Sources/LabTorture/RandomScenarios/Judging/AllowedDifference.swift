import LabScenario

/// A difference that today's rules allow, with its reason. What is listed here is not compared; a
/// report counts how often, by the words of this table.
struct AllowedDifference: Sendable {
    /// What is not compared.
    let name: String
    let reason: String
    /// The stores that are left out for it.
    let stores: [StoreSpec.Kind]
    let applies: @Sendable (ScenarioDraft) -> Bool

    /// How reports count it.
    var label: String { "not compared: \(name), because \(reason)" }

    static let all: [AllowedDifference] = [
        AllowedDifference(
            name: "uniqueness constraints outside SQLite",
            reason: "other stores refuse models that have some", stores: outsideSQLite,
            applies: { draft in draft.entities.contains { !$0.unique.isEmpty } }),
        AllowedDifference(
            name: "batch requests outside SQLite", reason: "they are SQL and only SQLite runs them",
            stores: outsideSQLite,
            applies: { !$0.verbs.isDisjoint(with: ["batch-insert", "batch-update", "batch-delete"]) }
        ),
        AllowedDifference(
            name: "what other processes and migrations do, and second coordinators",
            reason: "they meet in a file of SQLite", stores: [.image] + outsideSQLite,
            applies: { draft in
                !draft.verbs.isDisjoint(with: ["outside", "migrate"])
                    || draft.contexts.contains { $0.coordinator != nil }
            }),
    ]

    /// Where baton mode is reduced, independent steps are not known well enough yet.
    static let batonReduction =
        "not compared: the reduced walk in baton mode, because its steps are parts of steps"

    private static let outsideSQLite: [StoreSpec.Kind] = [.memory, .xml, .binary]

    /// The stores that must agree with the draft's own, and the differences that leave some out.
    static func stores(
        for draft: ScenarioDraft
    ) -> (compared: [StoreSpec.Kind], allowed: [AllowedDifference]) {
        let allowed = all.filter { $0.applies(draft) }
        let left = Set(allowed.flatMap(\.stores).map(\.rawValue) + [draft.store])
        return (StoreSpec.Kind.allCases.filter { !left.contains($0.rawValue) }, allowed)
    }
}
