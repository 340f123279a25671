extension RecordingFile {
    /// The contents of the file of a recording.
    package init(_ recording: Recording) {
        let schema = recording.history.schema
        name = recording.name
        reason = recording.reason
        values = recording.values
        missing = recording.missing
        entities = schema.entities.enumerated().map { index, entity in
            let partners = schema.partners.indices.contains(index) ? schema.partners[index] : [:]
            let inverses = Dictionary(
                uniqueKeysWithValues: partners.map { (entity.keys[$0], $1) })
            return Entity(
                name: entity.name, keys: entity.keys, inverses: inverses.isEmpty ? nil : inverses)
        }
        let names = Set(recording.history.entries.map(\.context))
            .union(schema.parents.keys).union(schema.parents.values)
        contexts = names.sorted().map { Context(name: $0, parent: schema.parents[$0]) }
        var writer = RecordingWriter(schema: schema)
        events = recording.history.entries.compactMap { writer.event($0) }
        objects = writer.objects
    }
}

/// Converts the entries of a history to the events of a file.
private struct RecordingWriter {
    let schema: History.Schema
    private(set) var objects: [String: String] = [:]

    init(schema: History.Schema) { self.schema = schema }

    private mutating func alias(_ object: ObjectName) -> String {
        objects[object.alias] = schema.entities[object.entity].name
        return object.alias
    }

    private mutating func aliases(_ objects: [ObjectName]) -> [String] {
        objects.map { alias($0) }
    }

    /// The event of an entry; nil for an event that recordings do not contain.
    mutating func event(_ entry: History.Entry) -> RecordingFile.Event? {
        func made(_ kind: RecordingFile.Kind) -> RecordingFile.Event {
            RecordingFile.Event(kind, step: entry.step, context: entry.context)
        }
        var event: RecordingFile.Event
        switch entry.event {
        case .read(let object, let key, let value, let version):
            event = made(.read)
            (event.object, event.key) = (alias(object), key)
            (event.value, event.version) = (value, version)
        case .write(let object, let key, let value, let basis):
            event = made(.set)
            (event.object, event.key, event.value) = (alias(object), key, value)
            if case .computed(let readings) = basis, let reading = readings.first {
                event.computedFrom = RecordingFile.Reading(
                    object: alias(reading.object), key: reading.key, value: reading.value,
                    version: reading.version)
            }
        case .looked(let entity, let query, let found, let count, let equals):
            event = made(.fetch)
            (event.entity, event.query) = (schema.entities[entity].name, query)
            (event.found, event.count) = (aliases(found), count)
            event.equals = keyed(equals.map { ($0, $1) }, entity)
        case .saved(let save): event = saved(save, made(.save))
        case .saveFailed(let failure):
            event = made(.saveFailed)
            event.code = failure.code
            (event.culprits, event.pending) = (
                aliases(failure.culprits), aliases(failure.pending)
            )
        case .dropped: event = made(.drop)
        case .refreshed(let object, let keepsChanges):
            event = made(.refresh)
            (event.object, event.keepsChanges) = (object.map { alias($0) }, keepsChanges)
        case .merged(let merge):
            event = made(.merge)
            (event.from, event.savedIn) = (merge.source, merge.savedIn)
            event.inserted = aliases(merge.inserted)
            event.updated = aliases(merge.updated)
            event.deleted = aliases(merge.deleted)
        case .enqueued(let block, let context):
            event = made(.enqueue)
            (event.block, event.on) = (block, context)
        case .blockBegan(let block):
            event = made(.beginBlock)
            event.block = block
        case .blockEnded(let block):
            event = made(.endBlock)
            event.block = block
        case .wroteOutside, .looped, .misuse, .failed, .tookTemporary, .held, .listens: return nil
        }
        return event
    }

    private mutating func saved(
        _ save: Save, _ event: RecordingFile.Event
    ) -> RecordingFile.Event {
        var event = event
        if case .parent(let parent) = save.target { event.into = parent }
        event.policy = save.policy
        event.changes = save.changes.map { change in
            let entity = change.object.entity
            let keys = schema.entities[entity].keys
            return RecordingFile.Change(
                object: alias(change.object), base: Self.snapshot(change.base),
                before: Self.snapshot(change.before), wanted: keyed(change.wanted, entity),
                named: change.named.isEmpty ? nil : change.named.map { keys[$0] },
                decided: change.decided.isEmpty
                    ? nil : change.decided.sorted().map { keys[$0] },
                after: Self.snapshot(change.after), isDelete: change.isDelete ? true : nil)
        }
        return event
    }

    /// Values by property; nil if the list is empty.
    private func keyed(
        _ values: [(slot: Int, value: ObservedValue)], _ entity: Int
    ) -> [String: ObservedValue]? {
        if values.isEmpty { return nil }
        let keys = schema.entities[entity].keys
        return Dictionary(values.map { (keys[$0.slot], $0.value) }) { first, _ in first }
    }

    private static func snapshot(_ row: Row?) -> RecordingFile.Snapshot? {
        row.map { RecordingFile.Snapshot(version: $0.version, values: $0.values) }
    }
}
