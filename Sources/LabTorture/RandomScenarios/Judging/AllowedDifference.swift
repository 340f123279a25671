import LabScenario

/// A permitted difference between stores, with its reason. Reports count the scenarios that were
/// not compared for this reason.
struct AllowedDifference: Sendable {
    let name: String
    let reason: String
    let stores: [StoreSpec.Kind]
    let applies: @Sendable (ScenarioDraft) -> Bool

    var label: String { "not compared: \(name), because \(reason)" }

    static let all: [AllowedDifference] = [
        AllowedDifference(
            name: "uniqueness constraints of stores other than SQLite",
            reason: "only SQLite enforces them, as in Core Data", stores: outsideSQLite,
            applies: \.hasConstraints),
        AllowedDifference(
            name: "batch requests of stores other than SQLite",
            reason: "batch requests are SQL, which only SQLite runs",
            stores: outsideSQLite,
            applies: {
                !$0.verbs.isDisjoint(with: ["batch-insert", "batch-update", "batch-delete"])
            }
        ),
        AllowedDifference(
            name: "failing reads of stores other than SQLite",
            reason: "whether a row is read depends on the row cache, which keeps rows in blocks:"
                + " only SQLite puts several rows that are read one by one into one block",
            stores: outsideSQLite,
            applies: { draft in draft.statements.contains { $0.text.contains("fail read") } }),
        AllowedDifference(
            name: "the history of stores other than SQLite",
            reason: "only SQLite keeps a history",
            stores: outsideSQLite,
            applies: {
                !$0.verbs.isDisjoint(with: ["history", "history-token", "merge-history"])
            }
        ),
        AllowedDifference(
            name: "effects of other processes and migrations, second coordinators, and pins",
            reason: "they need a SQLite file", stores: [.image] + outsideSQLite,
            applies: { draft in
                !draft.verbs.isDisjoint(with: ["outside", "migrate", "pin"])
                    || draft.contexts.contains { $0.coordinator != nil }
            }),
    ]

    // The generator leaves out the following cases. Stores would differ in them, or the process
    // would end.
    //
    // * Decimals of more than 15 digits. SQLite stores a DECIMAL as a double. Other stores keep
    //   every digit.
    // * `!=` and NOT over values that may be nil. In SQL no comparison with NULL is true. In
    //   memory, nil differs from every value.
    // * `fail before-merge` for contexts that merge automatically. No caller can receive the error,
    //   so the engine ends the process.
    // * On real threads, some stacks of main-queue contexts: those with a private-queue context
    //   between two main-queue contexts. Their saves wait for each other's queues, as in Core Data.

    /// If another step deletes an object, a link to it may store the primary key of the deleted
    /// row.
    static let linksToDeleted = AllowedDifference(
        name: "keys of deleted rows, if a step or a constraint deletes and a step links objects",
        reason: "a link to a fault is saved without asking the store for its row",
        stores: [],
        applies: { draft in
            let deletes = draft.verbs.contains("delete") || draft.hasConstraints
            return deletes && draft.linksObjects
        })

    /// The delete rule no-action leaves links to the deleted object unchanged.
    static let noAction = AllowedDifference(
        name: "keys of deleted rows, if a delete rule is no-action",
        reason: "SQLite identifies a link by its key, other stores by its object",
        stores: [],
        applies: { draft in
            draft.verbs.contains("delete")
                && draft.entities.flatMap(\.relationships).contains {
                    $0.line.contains("no-action")
                }
        })

    /// With `mode: baton`, the lab can switch threads where a thread waits for a lock. The stores
    /// use different locks.
    static let batonStores =
        "not compared: other stores in baton mode, because stores have different schedules"

    /// Without a sort key, a store returns the rows in the order that is cheapest for it.
    static let unaskedOrder =
        "not compared: schedules with a list in another order, because the request has no sort key"

    /// Only the deleted row contained the member's position in the list.
    static let restoredPlace =
        "not compared: schedules with a list in another order, because the position of a"
        + " member was only in its deleted row"

    private static let outsideSQLite: [StoreSpec.Kind] = [.memory, .xml, .binary]

    /// The stores whose results must equal those of the draft's store, and the permitted
    /// differences that exclude the other stores.
    static func stores(
        for draft: ScenarioDraft
    ) -> (compared: [StoreSpec.Kind], allowed: [AllowedDifference]) {
        let allowed = all.filter { $0.applies(draft) }
        let left = Set(allowed.flatMap(\.stores).map(\.rawValue) + [draft.store])
        return (StoreSpec.Kind.allCases.filter { !left.contains($0.rawValue) }, allowed)
    }
}
