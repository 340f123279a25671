import ContextHistory
import LabCheck

/// A model with one entity and two properties, which is enough to test every detector.
let schema = History.Schema(entities: [(name: "Account", keys: ["name", "balance"])])
let a1 = ObjectName(alias: "a1", entity: 0)
let a2 = ObjectName(alias: "a2", entity: 0)

func row(_ version: Int, _ name: String?, _ balance: Int64?) -> Row {
    Row(
        version: version,
        values: [name.map { .text($0) } ?? .null, balance.map { .integer($0) } ?? .null])
}

func entry(_ step: String, _ context: String, _ event: History.Event) -> History.Entry {
    History.Entry(step: step, context: context, event: event)
}

/// The basis of a write whose value was computed from the balance of the first account.
func computed(_ balance: Int64, version: Int) -> WriteBasis {
    .computed(from: [.init(a1, "balance", .integer(balance), version: version)])
}

func save(
    _ object: ObjectName = a1, base: Row?, before: Row?,
    wanted: [(slot: Int, value: ObservedValue)],
    named: [Int]? = nil, after: Row?, policy: String = "objectTrump", isDelete: Bool = false
) -> History.Event {
    .saved(
        Save(
            target: .store, policy: policy,
            changes: [
                .init(
                    object: object, base: base, before: before, wanted: wanted,
                    named: named ?? wanted.map(\.slot), after: after, isDelete: isDelete)
            ]))
}

func findings(_ entries: History.Entry...) -> [Detection] {
    var history = History(schema: schema)
    history.entries = entries
    return Detectors.findings(in: history)
}
