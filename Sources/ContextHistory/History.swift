/// The events of one schedule. The runner records the events while the steps run, and the detectors
/// read them afterwards.
package struct History: Sendable {
    /// A description of the model and the contexts: the property keys of each entity, in the order
    /// of ``Row/values``, and the parent of each context.
    package struct Schema: Sendable {
        package var entities: [(name: String, keys: [String])]
        /// For each entity, the inverse slot of each relationship for which both ends have a
        /// column.
        package var partners: [[Int: Int]]
        package var parents: [String: String]

        package init(
            entities: [(name: String, keys: [String])], partners: [[Int: Int]] = [],
            parents: [String: String] = [:]
        ) {
            self.entities = entities
            self.partners = partners
            self.parents = parents
        }

        package func key(_ slot: Int, of entity: Int) -> String { entities[entity].keys[slot] }

        package func slot(_ key: String, of entity: Int) -> Int? {
            entities[entity].keys.firstIndex(of: key)
        }
    }

    /// An event in one context during a step.
    package struct Entry: Sendable {
        package let step: String
        package let context: String
        package let event: Event

        package init(step: String, context: String, event: Event) {
            self.step = step
            self.context = context
            self.event = event
        }
    }

    package enum Event: Sendable {
        case read(ObjectName, key: String, value: ObservedValue, version: Int)
        case write(ObjectName, key: String, value: ObservedValue, basis: WriteBasis)
        /// A fetch or count. Equal queries have an equal text in `query`. Every matching object
        /// has the values of `equals` in these slots, as far as they are known.
        case looked(
            entity: Int, query: String, found: [ObjectName], count: Int,
            equals: [Int: ObservedValue] = [:])
        case saved(Save)
        case saveFailed(SaveFailure)
        /// The context dropped its unsaved changes (rollback, reset).
        case dropped
        /// The context refreshed an object, or all its objects if the name is nil. Later reads
        /// return values that are at least as new as those in the store or the parent at this
        /// point.
        case refreshed(ObjectName?, keepsChanges: Bool)
        /// Another process wrote rows without any context.
        case wroteOutside([Save.Change])
        /// The context merged the save notification of another context.
        case merged(Merge)
        case enqueued(block: String, on: String)
        /// The block of the step began. The following reads in the same step belong to the block.
        case blockBegan(block: String)
        /// The context's block ended. Histories whose blocks are steps do not contain this event.
        case blockEnded(block: String)
        /// An endless loop was detected, in which an observer's block saves and the save's
        /// notification enqueues the block again.
        case looped(block: String, times: Int)
        case misuse(Misuse, message: String)
        case failed(code: Int, message: String)
        /// The context received the temporary object ID of another context's object, which it
        /// cannot resolve.
        case tookTemporary(ObjectName, from: String)
        /// The row that the context holds at the end, without unsaved changes.
        case held(ObjectName, Row)
        /// The contexts whose saves the context was merging at the end.
        case listens(to: [String])
    }

    package let schema: Schema
    package var entries: [Entry] = []

    package init(schema: Schema) {
        self.schema = schema
    }
}

/// The name of an object in the history. The alias is unique within a schedule.
package struct ObjectName: Sendable, Hashable {
    package let alias: String
    package let entity: Int

    package init(alias: String, entity: Int) {
        self.alias = alias
        self.entity = entity
    }
}

/// The values of a row at one version.
package struct Row: Sendable, Equatable {
    package let version: Int
    package let values: [ObservedValue]

    package init(version: Int, values: [ObservedValue]) {
        self.version = version
        self.values = values
    }
}

/// The origin of a written value.
package enum WriteBasis: Sendable, Equatable {
    /// The result of a step's read of a property.
    package struct Reading: Sendable, Equatable {
        package let object: ObjectName
        package let key: String
        package let value: ObservedValue
        /// The version of the row in the reading context. A merge may have updated this row without
        /// changing the context's unsaved value.
        package let version: Int

        package init(_ object: ObjectName, _ key: String, _ value: ObservedValue, version: Int) {
            self.object = object
            self.key = key
            self.value = value
            self.version = version
        }
    }

    /// The step contained the value literally.
    case given
    /// The value was computed from these properties.
    case computed(from: [Reading])

    /// The probable origin of a value that code has set. If the code has read the property before,
    /// and the new value is another number or extends the text that was read, it seems to be
    /// computed from the read.
    package init(of value: ObservedValue, after reading: Reading?) {
        // Setting a property to the value that was read is not a change, even if other contexts
        // change the property in between.
        guard let reading, reading.value != value else {
            self = .given
            return
        }
        switch (reading.value, value) {
        case (.integer, .integer), (.number, .number): self = .computed(from: [reading])
        case (.text(let old), .text(let new))
        where !old.isEmpty && (new.hasPrefix(old) || new.hasSuffix(old)):
            self = .computed(from: [reading])
        default: self = .given
        }
    }

    /// The origin of a value that is computed from two others.
    package static func + (left: WriteBasis, right: WriteBasis) -> WriteBasis {
        switch (left, right) {
        case (.given, let other), (let other, .given): other
        case (.computed(let some), .computed(let others)): .computed(from: some + others)
        }
    }
}

/// A save that succeeded.
package struct Save: Sendable {
    package enum Target: Sendable, Equatable {
        case store
        case parent(String)
    }

    /// One row that the save wrote, or was about to write.
    package struct Change: Sendable {
        package let object: ObjectName
        /// The row on which the context based its changes; nil for an insert.
        package let base: Row?
        /// The row in the target immediately before the save; nil if it did not exist.
        package let before: Row?
        /// The slots that the context changed, with the new values.
        package let wanted: [(slot: Int, value: ObservedValue)]
        /// The slots that steps set explicitly. The other slots of `wanted` contain default values.
        package let named: [Int]
        /// The slots that a custom merge policy set to resolve a conflict between two values.
        package let decided: Set<Int>
        /// The row in the target immediately after the save; nil if it no longer exists.
        package let after: Row?
        package let isDelete: Bool

        package init(
            object: ObjectName, base: Row?, before: Row?,
            wanted: [(slot: Int, value: ObservedValue)] = [], named: [Int] = [],
            decided: Set<Int> = [], after: Row?, isDelete: Bool = false
        ) {
            self.object = object
            self.base = base
            self.before = before
            self.wanted = wanted
            self.named = named
            self.decided = decided
            self.after = after
            self.isDelete = isDelete
        }

        /// The change without partly known slots: a slot that is unknown in one row becomes unknown
        /// in all rows. So no finding can depend on it.
        package var known: Change {
            let rows = [base, before, after].compactMap(\.self)
            let hidden = Set(
                rows.flatMap { row in row.values.indices.filter { row.values[$0] == .unknown } }
                    + wanted.filter { $0.value == .unknown }.map(\.slot))
            if hidden.isEmpty { return self }
            func shown(_ row: Row) -> Row {
                Row(
                    version: row.version,
                    values: row.values.enumerated().map { hidden.contains($0) ? .unknown : $1 })
            }
            return Change(
                object: object, base: base.map(shown), before: before.map(shown),
                wanted: wanted.filter { !hidden.contains($0.slot) },
                named: named, decided: decided, after: after.map(shown), isDelete: isDelete)
        }
    }

    package let target: Target
    package let policy: String
    package let changes: [Change]
    /// The origins of a batch request's values, by property key; nil for the save of a context. A
    /// batch request writes only these values and leaves the context's changes unsaved.
    package let batch: [String: WriteBasis]?

    package init(
        target: Target, policy: String, changes: [Change], batch: [String: WriteBasis]? = nil
    ) {
        self.target = target
        self.policy = policy
        self.changes = changes
        self.batch = batch
    }
}

/// A save that failed.
package struct SaveFailure: Sendable {
    package let code: Int
    /// The objects that the error mentions.
    package let culprits: [ObjectName]
    /// The objects with unsaved changes at the time of the save.
    package let pending: [ObjectName]

    package init(code: Int, culprits: [ObjectName], pending: [ObjectName]) {
        self.code = code
        self.culprits = culprits
        self.pending = pending
    }
}

/// A merged save notification.
package struct Merge: Sendable, Equatable {
    package let source: String
    /// The step whose save posted the notification.
    package let savedIn: String
    package let inserted: [ObjectName]
    package let updated: [ObjectName]
    package let deleted: [ObjectName]

    package init(
        source: String, savedIn: String, inserted: [ObjectName], updated: [ObjectName],
        deleted: [ObjectName]
    ) {
        self.source = source
        self.savedIn = savedIn
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

/// The kinds of misuse of the engine that end a step.
package enum Misuse: String, Sendable, CaseIterable {
    case queueConfinement = "queue confinement"
    case crossedContexts = "crossed contexts"
    case badPredicate = "bad predicate"
}
