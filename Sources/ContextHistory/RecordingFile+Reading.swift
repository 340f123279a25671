extension RecordingFile {
    /// The recording, whose names and rows fit together.
    ///
    /// - Throws: an error with the path of the first element that does not fit.
    package func recording() throws(RecordingError) -> Recording {
        let reader = try RecordingReader(self)
        var history = History(schema: reader.schema)
        history.entries.reserveCapacity(events.count)
        for (index, event) in events.enumerated() {
            history.entries.append(
                History.Entry(
                    step: event.step, context: event.context,
                    event: try reader.event(event, EventPath("events[\(index)]"))))
        }
        return Recording(
            name: name, reason: reason, values: values, missing: missing, history: history)
    }
}

/// The path of an event in a file, for errors.
private struct EventPath {
    let text: String

    init(_ text: String) { self.text = text }

    func error(_ key: String, _ problem: String) -> RecordingError {
        RecordingError(path: "\(text).\(key)", problem: problem)
    }

    /// The value of a key that an event of this kind must have.
    func need<T>(_ value: T?, _ key: String) throws(RecordingError) -> T {
        guard let value else { throw error(key, "the value is missing") }
        return value
    }

    static func + (path: EventPath, key: String) -> EventPath { EventPath("\(path.text).\(key)") }
}

/// Converts the events of a file to the entries of a history.
private struct RecordingReader {
    let schema: History.Schema
    private let objects: [String: ObjectName]
    private let contexts: Set<String>

    init(_ file: RecordingFile) throws(RecordingError) {
        let entities = Dictionary(
            file.entities.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first })
        guard entities.count == file.entities.count else {
            throw RecordingError(path: "entities", problem: "two entities have the same name")
        }
        var objects: [String: ObjectName] = [:]
        for (alias, entity) in file.objects {
            guard let index = entities[entity] else {
                throw RecordingError(
                    path: "objects.\(alias)", problem: "the entity '\(entity)' does not exist")
            }
            objects[alias] = ObjectName(alias: alias, entity: index)
        }
        contexts = Set(file.contexts.map(\.name))
        var parents: [String: String] = [:]
        for (index, context) in file.contexts.enumerated() {
            guard let parent = context.parent else { continue }
            guard contexts.contains(parent) else {
                throw RecordingError(
                    path: "contexts[\(index)].parent",
                    problem: "the context '\(parent)' does not exist")
            }
            parents[context.name] = parent
        }
        try Self.check(parents)
        self.objects = objects
        schema = History.Schema(
            entities: file.entities.map { ($0.name, $0.keys) },
            partners: file.entities.map { Self.partners($0, file.entities) }, parents: parents)
    }

    /// Detectors follow parents up to a context without one, so a circle would never end.
    private static func check(_ parents: [String: String]) throws(RecordingError) {
        for name in parents.keys {
            var (next, steps) = (parents[name], 0)
            while let parent = next, steps <= parents.count {
                next = parents[parent]
                steps += 1
            }
            if next != nil {
                throw RecordingError(
                    path: "contexts", problem: "'\(name)' is its own parent, in some generation")
            }
        }
    }

    private static func partners(
        _ entity: RecordingFile.Entity, _ all: [RecordingFile.Entity]
    ) -> [Int: Int] {
        var found: [Int: Int] = [:]
        let largest = all.map(\.keys.count).max() ?? 0
        for (key, slot) in entity.inverses ?? [:] where (0..<largest).contains(slot) {
            guard let own = entity.keys.firstIndex(of: key) else { continue }
            found[own] = slot
        }
        return found
    }

    // MARK: Names

    private func object(
        _ alias: String?, _ path: EventPath, _ key: String = "object"
    ) throws(RecordingError) -> ObjectName {
        let alias = try path.need(alias, key)
        guard let object = objects[alias] else {
            throw path.error(key, "the object '\(alias)' is not in 'objects'")
        }
        return object
    }

    private func list(
        _ aliases: [String]?, _ path: EventPath, _ key: String
    ) throws(RecordingError) -> [ObjectName] {
        var found: [ObjectName] = []
        for (index, alias) in (aliases ?? []).enumerated() {
            found.append(try object(alias, path, "\(key)[\(index)]"))
        }
        return found
    }

    private func slot(
        _ key: String, _ entity: Int, _ path: EventPath
    ) throws(RecordingError) -> Int {
        guard let slot = schema.slot(key, of: entity) else {
            throw path.error(
                key, "the entity '\(schema.entities[entity].name)' does not have this property")
        }
        return slot
    }

    private func slots(
        _ values: [String: ObservedValue]?, _ entity: Int, _ path: EventPath
    ) throws(RecordingError) -> [(slot: Int, value: ObservedValue)] {
        var found: [(slot: Int, value: ObservedValue)] = []
        for (key, value) in (values ?? [:]).sorted(by: { $0.key < $1.key }) {
            found.append((try slot(key, entity, path), value))
        }
        return found
    }

    // MARK: Events

    func event(
        _ event: RecordingFile.Event, _ path: EventPath
    ) throws(RecordingError) -> History.Event {
        guard contexts.contains(event.context) else {
            throw path.error("context", "the context '\(event.context)' is not in 'contexts'")
        }
        switch event.kind {
        case .read:
            return .read(
                try object(event.object, path), key: try path.need(event.key, "key"),
                value: event.value ?? .null, version: event.version ?? 0)
        case .set:
            return .write(
                try object(event.object, path), key: try path.need(event.key, "key"),
                value: event.value ?? .null, basis: try basis(event.computedFrom, path))
        case .fetch: return try fetch(event, path)
        case .save: return .saved(try save(event, path))
        case .saveFailed:
            return .saveFailed(
                SaveFailure(
                    code: try path.need(event.code, "code"),
                    culprits: try list(event.culprits, path, "culprits"),
                    pending: try list(event.pending, path, "pending")))
        case .drop: return .dropped
        case .refresh:
            let name: ObjectName? = event.object == nil ? nil : try object(event.object, path)
            return .refreshed(name, keepsChanges: event.keepsChanges ?? false)
        case .merge:
            return .merged(
                Merge(
                    source: try path.need(event.from, "from"),
                    savedIn: try path.need(event.savedIn, "savedIn"),
                    inserted: try list(event.inserted, path, "inserted"),
                    updated: try list(event.updated, path, "updated"),
                    deleted: try list(event.deleted, path, "deleted")))
        case .enqueue:
            return .enqueued(
                block: try path.need(event.block, "block"), on: try path.need(event.on, "on"))
        case .beginBlock: return .blockBegan(block: try path.need(event.block, "block"))
        case .endBlock: return .blockEnded(block: try path.need(event.block, "block"))
        }
    }

    private func basis(
        _ reading: RecordingFile.Reading?, _ path: EventPath
    ) throws(RecordingError) -> WriteBasis {
        guard let reading else { return .given }
        let object = try object(reading.object, path + "computedFrom")
        return .computed(from: [
            WriteBasis.Reading(object, reading.key, reading.value, version: reading.version)
        ])
    }

    private func fetch(
        _ event: RecordingFile.Event, _ path: EventPath
    ) throws(RecordingError) -> History.Event {
        let name = try path.need(event.entity, "entity")
        guard let entity = schema.entities.firstIndex(where: { $0.name == name }) else {
            throw path.error("entity", "the entity '\(name)' does not exist")
        }
        return .looked(
            entity: entity, query: try path.need(event.query, "query"),
            found: try list(event.found, path, "found"), count: try path.need(event.count, "count"),
            equals: Dictionary(
                uniqueKeysWithValues: try slots(event.equals, entity, path + "equals")))
    }

    private func save(
        _ event: RecordingFile.Event, _ path: EventPath
    ) throws(RecordingError) -> Save {
        if let parent = event.into, !contexts.contains(parent) {
            throw path.error("into", "the context '\(parent)' is not in 'contexts'")
        }
        var changes: [Save.Change] = []
        for (index, change) in try path.need(event.changes, "changes").enumerated() {
            changes.append(try self.change(change, path + "changes[\(index)]"))
        }
        return Save(
            target: event.into.map { .parent($0) } ?? .store, policy: event.policy ?? "",
            changes: changes)
    }

    private func change(
        _ change: RecordingFile.Change, _ path: EventPath
    ) throws(RecordingError) -> Save.Change {
        let object = try object(change.object, path)
        let entity = object.entity
        var named: [Int] = []
        for key in change.named ?? [] { named.append(try slot(key, entity, path + "named")) }
        var decided: Set<Int> = []
        for key in change.decided ?? [] {
            decided.insert(try slot(key, entity, path + "decided"))
        }
        return Save.Change(
            object: object, base: try row(change.base, entity, path, "base"),
            before: try row(change.before, entity, path, "before"),
            wanted: try slots(change.wanted, entity, path + "wanted"), named: named,
            decided: decided, after: try row(change.after, entity, path, "after"),
            isDelete: change.isDelete ?? false
        ).known
    }

    private func row(
        _ snapshot: RecordingFile.Snapshot?, _ entity: Int, _ path: EventPath, _ key: String
    ) throws(RecordingError) -> Row? {
        guard let snapshot else { return nil }
        let count = schema.entities[entity].keys.count
        guard snapshot.values.count == count else {
            throw path.error(
                "\(key).values",
                "\(snapshot.values.count) values; the entity '\(schema.entities[entity].name)' has"
                    + " \(count) properties")
        }
        return Row(version: snapshot.version, values: snapshot.values)
    }
}
