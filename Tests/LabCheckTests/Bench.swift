import ContextHistory

/// A store and contexts that write a history as the lab does: contexts keep the rows that they have
/// read, and a save writes the changed properties.
struct Bench {
    /// Which of two values a save keeps, by the object and the property.
    enum Winner {
        case object
        case store
    }

    private(set) var history: History
    private var rows: [ObjectName: Row] = [:]
    private var held: [String: [ObjectName: Row]] = [:]
    private var unsaved: [String: [ObjectName: [Int: ObservedValue]]] = [:]
    private var inserted: [String: [ObjectName: [Int: ObservedValue]]] = [:]
    private var deleted: [String: [ObjectName]] = [:]
    private var count = 0

    init(parents: [String: String] = [:], _ balances: [ObjectName: Int64] = [:]) {
        history = History(
            schema: History.Schema(entities: schema.entities, parents: parents))
        for (object, balance) in balances { rows[object] = row(1, nil, balance) }
    }

    private mutating func record(_ context: String, _ event: History.Event) {
        count += 1
        history.entries.append(entry("\(context).\(count)", context, event))
    }

    private func slot(_ key: String) -> Int { key == "name" ? 0 : 1 }

    /// Reads a property, of the row that the context has or of the store's row.
    @discardableResult
    mutating func read(
        _ context: String, _ object: ObjectName = a1, _ key: String = "balance"
    ) -> Int64 {
        let slot = slot(key)
        let row = held[context]?[object] ?? rows[object]
        held[context, default: [:]][object] = row
        var holder: String? = context
        var value = row?.values[slot] ?? .none
        while let next = holder {
            if let own = unsaved[next]?[object]?[slot] {
                value = own
                break
            }
            holder = history.schema.parents[next]
        }
        record(context, .read(object, key: key, value: value, version: row?.version ?? 0))
        if case .integer(let number) = value { return number }
        return 0
    }

    /// - Parameter sources: the properties of the context from which the value was computed.
    mutating func set(
        _ context: String, _ object: ObjectName = a1, _ key: String = "balance", to value: Int64,
        from sources: [(ObjectName, String)] = []
    ) {
        let readings = sources.compactMap { source, key -> WriteBasis.Reading? in
            guard let row = held[context]?[source] else { return nil }
            return .init(source, key, row.values[slot(key)], version: row.version)
        }
        if held[context]?[object] == nil { held[context, default: [:]][object] = rows[object] }
        unsaved[context, default: [:]][object, default: [:]][slot(key)] = .integer(value)
        record(
            context,
            .write(
                object, key: key, value: .integer(value),
                basis: readings.isEmpty ? .given : .computed(from: readings)))
    }

    mutating func insert(_ context: String, _ object: ObjectName, _ balance: Int64) {
        inserted[context, default: [:]][object] = [1: .integer(balance)]
        record(
            context,
            .write(object, key: "balance", value: .integer(balance), basis: .given))
    }

    mutating func delete(_ context: String, _ object: ObjectName) {
        held[context, default: [:]][object] = held[context]?[object] ?? rows[object]
        deleted[context, default: []].append(object)
    }

    /// Fetches the rows that fulfil a condition, with the context's copies of the rows.
    @discardableResult
    mutating func fetch(
        _ context: String, _ query: String = "Account", where holds: (Int64) -> Bool = { _ in true }
    ) -> [ObjectName] {
        let found = rows.filter { row in
            guard case .integer(let balance) = row.value.values[1] else { return false }
            return holds(balance)
        }.keys.sorted { $0.alias < $1.alias }
        record(context, .looked(entity: 0, query: query, found: found, count: found.count))
        return found
    }

    mutating func refresh(_ context: String) {
        held[context] = nil
        record(context, .refreshed(nil, keepsChanges: true))
    }

    mutating func rollBack(_ context: String) {
        unsaved[context] = nil
        inserted[context] = nil
        deleted[context] = nil
        record(context, .dropped)
    }

    /// Saves a context into the store, or into its parent.
    mutating func save(_ context: String, keeping winner: (ObjectName) -> Winner = { _ in .object })
    {
        if let parent = history.schema.parents[context] {
            for (object, values) in unsaved.removeValue(forKey: context) ?? [:] {
                unsaved[parent, default: [:]][object, default: [:]].merge(values) { $1 }
            }
            record(
                context,
                .saved(Save(target: .parent(parent), policy: "error", changes: [])))
            return
        }
        let updates = (unsaved.removeValue(forKey: context) ?? [:]).sorted {
            $0.key.alias < $1.key.alias
        }
        var changes = updates.map { change(of: $0.key, $0.value, context, winner($0.key)) }
        for (object, values) in inserted.removeValue(forKey: context) ?? [:] {
            let after = Row(version: 1, values: [.null, values[1] ?? .null])
            rows[object] = after
            changes.append(
                .init(
                    object: object, base: nil, before: nil,
                    wanted: values.map { ($0.key, $0.value) }, named: [1], after: after))
        }
        for object in deleted.removeValue(forKey: context) ?? [] {
            let before = rows.removeValue(forKey: object)
            changes.append(
                .init(
                    object: object, base: held[context]?[object], before: before, after: nil,
                    isDelete: true))
        }
        record(context, .saved(Save(target: .store, policy: "custom", changes: changes)))
    }

    private mutating func change(
        of object: ObjectName, _ values: [Int: ObservedValue], _ context: String, _ winner: Winner
    ) -> Save.Change {
        let (base, before) = (held[context]?[object], rows[object])
        let isStale = base?.version != before?.version
        var after = before?.values ?? []
        for (slot, value) in values {
            let isTaken = isStale && winner == .store && base?.values[slot] != after[slot]
            if !isTaken { after[slot] = value }
        }
        let now = before.map {
            after == $0.values ? $0 : Row(version: $0.version + 1, values: after)
        }
        rows[object] = now
        held[context]?[object] = now
        return .init(
            object: object, base: base, before: before,
            wanted: values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            named: Array(values.keys), after: now)
    }
}
