import ContextHistory

/// Traces the unsaved values of every context back to the reads from which they were computed.
///
/// The origins of a value are the values that its session had read before it set the value. A later
/// merge or refresh of the row does not change the origins.
///
/// - A step may compute a value (`set a.n = a.n + 1`, or `= x` after `read a.n as x`). Its origins
///   are all reads that it uses.
/// - A step may set a literal value (`set a.n = 9`). Its origin is the session's last read of that
///   property since its last save or rollback. Without such a read, it has no origin.
/// - A read of an unsaved value has the origins of that value. If a child saves, its values keep
///   their origins in the parent.
///
/// A detector owns one `ValueOrigins` and passes each entry of the history to it.
struct ValueOrigins {
    private struct Place: Hashable {
        let context: String
        let object: ObjectName
        let key: String
    }

    /// A read whose result was used to compute a value.
    struct Origin {
        let reading: WriteBasis.Reading
        let position: Int
        /// The ancestor whose unsaved value was read; nil for the value of a row.
        let holder: String?
        /// The numbers of unsaved values. The read value was first used to compute these values,
        /// and the present value was computed from them. So their saves do not overtake this read.
        var ways: [Int] = []
    }

    /// A value that a context has not saved.
    struct Unsaved {
        /// A unique number, which the value keeps when it is saved into the parent.
        let number: Int
        let value: ObservedValue
        var origins: [Origin]
        /// The context whose step set the value.
        let author: String
        /// Whether the value was computed from reads. Otherwise the step contained a literal.
        let isComputed: Bool
    }

    /// A change of a property that other contexts can see, in the store or in a parent.
    struct Change {
        let position: Int
        let step: String
        let context: String
        /// The context whose step set the value. If a parent saves it, this may be a child of the
        /// parent.
        let author: String
        /// The number of the unsaved value that was saved; nil if it is not known.
        let source: Int?
        let target: Save.Target
        let version: Int
        let old: ObservedValue?
        let value: ObservedValue
        /// Whether the row's version changed with the value. A write by another process may leave
        /// the version unchanged.
        let movesVersion: Bool

        var verb: String { target == .parent(context) ? "set" : "saved" }
    }

    private struct Property: Hashable {
        let object: ObjectName
        let slot: Int
    }

    private let schema: History.Schema
    private let nestingContexts: Set<String>
    private var position = 0
    /// The values that contexts have set since their last save, oldest first.
    private var unsaved: [Place: [Unsaved]] = [:]
    private var reads: [Place: [(reading: WriteBasis.Reading, origins: [Origin])]] = [:]
    /// For each property, the origins of the context's last read since its last save.
    private var shown: [Place: [Origin]] = [:]
    private var changes: [Property: [Change]] = [:]

    init(schema: History.Schema) {
        self.schema = schema
        nestingContexts = Set(schema.parents.values)
    }

    // MARK: Following

    mutating func visit(_ entry: History.Entry) {
        position += 1
        switch entry.event {
        case .read(let object, let key, let value, let version):
            note(WriteBasis.Reading(object, key, value, version: version), in: entry.context)
        case .write(let object, let key, let value, let basis):
            set(object, key, value, basis, entry)
        case .dropped:
            forget(in: entry.context)
        case .refreshed(let object, keepsChanges: false):
            forget(object, in: entry.context)
        case .saved(let save):
            note(save, entry)
        case .wroteOutside(let changes):
            for change in changes {
                note(
                    change, change.newSlots.map { ($0, nil) }, .store, entry,
                    context: History.outsider)
            }
        default: break
        }
    }

    private mutating func note(_ reading: WriteBasis.Reading, in context: String) {
        let place = Place(context: context, object: reading.object, key: reading.key)
        let origins = origins(of: reading, in: context)
        reads[place, default: []].append((reading, origins))
        shown[place] = origins
    }

    private mutating func set(
        _ object: ObjectName, _ key: String, _ value: ObservedValue, _ basis: WriteBasis,
        _ entry: History.Entry
    ) {
        let place = Place(context: entry.context, object: object, key: key)
        var origins = origins(of: basis, in: entry.context)
        let isComputed = origins.contains { $0.isOf(object, key) }
        if !isComputed, !mutant(.givenValuesHaveNoOrigin) { origins += shown[place] ?? [] }
        let value = Unsaved(
            number: position, value: value, origins: origins, author: entry.context,
            isComputed: isComputed)
        unsaved[place, default: []].append(value)
        guard nestingContexts.contains(entry.context),
            let slot = schema.slot(key, of: object.entity)
        else { return }
        // Child contexts see the value as soon as it is set.
        changes[Property(object: object, slot: slot), default: []].append(
            Change(
                position: position, step: entry.step, context: entry.context,
                author: entry.context, source: position, target: .parent(entry.context),
                version: 0, old: nil, value: value.value, movesVersion: false))
    }

    private mutating func forget(_ object: ObjectName? = nil, in context: String) {
        if object == nil { shown = shown.filter { $0.key.context != context } }
        unsaved = unsaved.filter { place, _ in
            place.context != context || object != nil && place.object != object
        }
    }

    private mutating func note(_ save: Save, _ entry: History.Entry) {
        for change in save.changes {
            // All values are looked up before the first one is recorded. This avoids a copy of the
            // collection.
            let values = change.newSlots.map { ($0, unsaved(change, $0, save, entry.context)) }
            note(change, values, save.target, entry, context: entry.context)
        }
        if save.batch != nil { return }
        if case .parent(let parent) = save.target { handOver(save, entry.context, to: parent) }
        forget(in: entry.context)
    }

    /// - Parameter values: the slots with a new value. If the unsaved value that was saved is
    ///   known, it is next to the slot.
    private mutating func note(
        _ change: Save.Change, _ values: [(slot: Int, source: Unsaved?)], _ target: Save.Target,
        _ entry: History.Entry, context: String
    ) {
        guard let after = change.after else { return }
        for (slot, source) in values {
            changes[Property(object: change.object, slot: slot), default: []].append(
                Change(
                    position: position, step: entry.step, context: context,
                    author: source?.author ?? context, source: source?.number, target: target,
                    version: after.version, old: change.before?.values[slot],
                    value: after.values[slot],
                    movesVersion: after.version != change.before?.version))
        }
    }

    private mutating func handOver(_ save: Save, _ context: String, to parent: String) {
        if mutant(.parentsForgetOrigins) { return }
        for (place, values) in unsaved where place.context == context {
            guard var value = values.last else { continue }
            if let change = save.changes.first(where: { $0.object == place.object }),
                let slot = schema.slot(place.key, of: place.object.entity),
                let before = change.before,
                overtaking(value, before.values[slot], of: place.object, slot, save) != nil
            {
                // This save reports the lost value. The parent's later save must not report it
                // again.
                let seen = WriteBasis.Reading(
                    place.object, place.key, before.values[slot], version: before.version)
                value.origins = [Origin(reading: seen, position: position, holder: nil)]
            }
            let target = Place(context: parent, object: place.object, key: place.key)
            unsaved[target, default: []].append(value)
        }
    }

    // MARK: Asking

    /// Whether a read returned a value that the context, its parent or a further parent had not
    /// saved.
    func isUnsaved(_ reading: WriteBasis.Reading, in context: String) -> Bool {
        if own(reading, in: context) != nil { return true }
        return origins(of: reading, in: context).contains { $0.holder != nil }
    }

    /// The unsaved value that a save writes into a slot. If the row already contains an equal
    /// value, the value that the save would write.
    func unsaved(
        _ change: Save.Change, _ slot: Int, _ save: Save, _ context: String
    ) -> Unsaved? {
        let key = schema.key(slot, of: change.object.entity)
        let wanted = change.wanted.first { $0.slot == slot }?.value
        if let batch = save.batch {
            guard let wanted, let basis = batch[key] else { return nil }
            return Unsaved(
                number: position + 1, value: wanted, origins: origins(of: basis, in: context),
                author: context, isComputed: true)
        }
        guard let value = wanted ?? change.base?.values[slot] else { return nil }
        let place = Place(context: context, object: change.object, key: key)
        let found = unsaved[place]?.last { $0.value == value }
        return wanted == nil && found?.isComputed == false ? nil : found
    }

    /// The computed values that a save does not write because the row already contains equal
    /// values.
    func vanished(in save: Save, of context: String) -> [(object: ObjectName, slot: Int, Unsaved)] {
        if save.batch != nil { return [] }
        let written = Set(save.changes.map(\.object))
        return unsaved.keys.filter { $0.context == context && !written.contains($0.object) }
            .sorted { ($0.object.alias, $0.key) < ($1.object.alias, $1.key) }
            .compactMap { place in
                guard let value = unsaved[place]?.last, value.isComputed,
                    let slot = schema.slot(place.key, of: place.object.entity),
                    changes[Property(object: place.object, slot: slot)]?.last?.value == value.value
                else { return nil }
                return (place.object, slot, value)
            }
    }

    /// The newest change of a property since the read from which the value was computed. Nil if the
    /// property has not changed since, or if the current value equals the value that was read.
    ///
    /// - Parameter current: the value in the target of the save.
    func overtaking(
        _ value: Unsaved, _ current: ObservedValue, of object: ObjectName, _ slot: Int,
        _ save: Save
    ) -> (origin: Origin, change: Change)? {
        guard let known = changes[Property(object: object, slot: slot)] else { return nil }
        let key = schema.key(slot, of: object.entity)
        let line = lineage(of: save.target)
        for origin in value.origins where origin.isOf(object, key) {
            if let holder = origin.holder, !line.contains(holder) { continue }
            if origin.reading.value == current, !mutant(.equalValuesAreOvertaken) { continue }
            let newest = known.last { other in
                if other.author == value.author { return mutant(.ownSavesOvertake) }
                return !isSeen(other, by: origin, line, known)
            }
            if let newest { return (origin, newest) }
        }
        return nil
    }

    /// Whether the unsaved value was computed only from current values of the property. Each of its
    /// reads must have found the value that the target contained before the save.
    func isUpToDate(_ value: Unsaved, _ change: Save.Change, _ slot: Int) -> Bool {
        let key = schema.key(slot, of: change.object.entity)
        let own = value.origins.filter { $0.isOf(change.object, key) }
        return !own.isEmpty && own.allSatisfy { $0.reading.value == change.before?.values[slot] }
    }

    /// The parent into which a save writes, and the parent's ancestors; empty for a save into a
    /// store.
    private func lineage(of target: Save.Target) -> [String] {
        guard case .parent(let parent) = target else { return [] }
        return Array(sequence(first: parent) { schema.parents[$0] })
    }

    private func isSeen(
        _ change: Change, by origin: Origin, _ line: [String], _ known: [Change]
    ) -> Bool {
        if let source = change.source, origin.ways.contains(source),
            !mutant(.readValuesOvertake)
        {
            return true
        }
        guard case .parent(let place) = change.target else {
            if change.movesVersion {
                return change.version <= origin.reading.version
                    && !mutant(.seenChangesOvertake)
            }
            return change.old != origin.reading.value
        }
        guard line.contains(place) else { return true }
        let seen = known.last {
            $0.position <= origin.position && $0.value == origin.reading.value
        }
        return change.position <= seen?.position ?? 0
    }

    private func own(_ reading: WriteBasis.Reading, in context: String) -> Unsaved? {
        unsaved[Place(context: context, object: reading.object, key: reading.key)]?
            .last { $0.value == reading.value }
    }

    /// The origins of a value that is read now. They lead back to the rows that were read.
    private func origins(of reading: WriteBasis.Reading, in context: String) -> [Origin] {
        if let own = own(reading, in: context), !mutant(.ownValuesAreRows) {
            return own.inherited
        }
        var holder = schema.parents[context]
        while let name = holder {
            if let value = own(reading, in: name) {
                let origin = Origin(reading: reading, position: position, holder: name)
                return [origin] + value.inherited
            }
            holder = schema.parents[name]
        }
        return [Origin(reading: reading, position: position, holder: nil)]
    }

    private func origins(of basis: WriteBasis, in context: String) -> [Origin] {
        guard case .computed(let readings) = basis else { return [] }
        return readings.flatMap { reading in
            let place = Place(context: context, object: reading.object, key: reading.key)
            return reads[place]?.last { $0.reading == reading }?.origins
                ?? [Origin(reading: reading, position: position, holder: nil)]
        }
    }
}

extension ValueOrigins.Unsaved {
    fileprivate var inherited: [ValueOrigins.Origin] {
        origins.map { origin in
            var origin = origin
            origin.ways.append(number)
            return origin
        }
    }
}

extension ValueOrigins.Origin {
    func isOf(_ object: ObjectName, _ key: String) -> Bool {
        reading.object == object && reading.key == key
    }
}

extension History {
    /// The writer of values that were not written by a context of the lab.
    static let outsider = "another process"
}

extension Save.Change {
    /// The slots whose values the save has changed in the target.
    fileprivate var newSlots: [Int] {
        guard let after else { return [] }
        return after.values.indices.filter { after.values[$0] != before?.values[$0] }
    }
}
