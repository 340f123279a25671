import ContextHistory

/// Finds changes that a successful save dropped or overwrote. These are lost updates, lost
/// properties, and values that an insert replaced with nil or a default.
enum LostChanges {
    static func detect(in history: History) -> [Detection] {
        var origins = ValueOrigins(schema: history.schema)
        var found: [Detection] = []
        for (index, entry) in history.entries.enumerated() {
            if case .saved(let save) = entry.event {
                for change in save.changes where !change.isDelete {
                    let judge = Judge(
                        history: history, origins: origins, index: index, entry: entry, save: save,
                        change: change)
                    found += judge.findings()
                }
                for (object, slot, value) in origins.vanished(in: save, of: entry.context) {
                    found += vanished(object, slot, value, save, entry, origins)
                }
            }
            origins.visit(entry)
        }
        return found
    }

    /// The finding for two contexts that computed equal values, such as two increments. The row
    /// then contains only one of the two changes.
    fileprivate static func vanished(
        _ object: ObjectName, _ slot: Int, _ value: ValueOrigins.Unsaved, _ save: Save,
        _ entry: History.Entry, _ origins: ValueOrigins
    ) -> [Detection] {
        guard let (origin, other) = origins.overtaking(value, value.value, of: object, slot, save)
        else { return [] }
        let name = "\(object.alias).\(origin.reading.key)"
        return [
            Detection(
                name: "lost update",
                prose: "\(value.author) computed \(name) \(value.value.quoted) after reading"
                    + " \(origin.reading.value.quoted) at version \(origin.reading.version);"
                    + " \(other.context) \(other.verb) \(other.value.quoted) in \(other.step), so"
                    + " that \(entry.context) had nothing to save, and one of the two changes is"
                    + " lost.",
                evidence: [
                    "\(other.step): \(other.context) \(other.verb) \(other.value.quoted)",
                    "\(entry.step): \(entry.context) wanted \(value.value.quoted)",
                ], step: entry.step)
        ]
    }
}

/// Judges a save's change of one row. It compares the values that the context read and set with the
/// row in three states: as the context knew it, and in the target before and after the save.
private struct Judge {
    let history: History
    let origins: ValueOrigins
    let index: Int
    let entry: History.Entry
    let save: Save
    let change: Save.Change

    func findings() -> [Detection] {
        let vanished = vanished()
        if !vanished.isEmpty { return vanished }
        guard let before = change.before, let after = change.after else { return [] }
        guard let base = change.base else { return blanked(before: before, after: after) }
        return base.values.indices.compactMap { slot in
            if change.decided.contains(slot) { return nil }
            let unsaved = origins.unsaved(change, slot, save, entry.context)
            if let unsaved, [before.values[slot], unsaved.value].contains(after.values[slot]) {
                if let lost = overtaken(slot, unsaved, base: base, before: before, after: after) {
                    return lost
                }
                // The context had read the row's current value before it computed its own value, so
                // no change is lost.
                if unsaved.isComputed, after.values[slot] == unsaved.value,
                    before.values[slot] != base.values[slot],
                    origins.isUpToDate(unsaved, change, slot)
                {
                    return nil
                }
            }
            // No other save has changed the row meanwhile, so every saved value was computed from
            // the current row.
            if before == base { return nil }
            return finding(slot, base: base, before: before, after: after)
        }
    }

    /// Finds computed values that the save does not write. This happens if a merge or refresh has
    /// brought a row with equal values into the context.
    private func vanished() -> [Detection] {
        guard let base = change.base else { return [] }
        return base.values.indices.flatMap { slot -> [Detection] in
            guard !change.wanted.contains(where: { $0.slot == slot }),
                let unsaved = origins.unsaved(change, slot, save, entry.context)
            else { return [] }
            return LostChanges.vanished(change.object, slot, unsaved, save, entry, origins)
        }
    }

    /// Finds a value that was computed from an older value. Another context has replaced that older
    /// value since. The change is lost even if the context has merged or refreshed the row in
    /// between.
    private func overtaken(
        _ slot: Int, _ unsaved: ValueOrigins.Unsaved, base: Row, before: Row, after: Row
    ) -> Detection? {
        let isVisible = base.values[slot] != before.values[slot]
        let current = before.values[slot]
        // Two equal literal values lose no change. If both values were computed, one change is
        // lost.
        if !unsaved.isComputed, isVisible || unsaved.value == current { return nil }
        guard
            let (origin, newest) = origins.overtaking(
                unsaved, current, of: change.object, slot, save)
        else { return nil }
        let start =
            isVisible
            ? "\(entry.context) started from \(name(slot)) \(base.values[slot].quoted) at version"
                + " \(base.version); \(newest.context) saved \(current.quoted) as version"
                + " \(before.version); "
            : "\(unsaved.author) \(unsaved.isComputed ? "computed" : "set") \(name(slot))"
                + " \(unsaved.value.quoted) after reading \(origin.reading.value.quoted) at"
                + " version \(origin.reading.version); \(newest.context) \(newest.verb)"
                + " \(newest.value.quoted) in \(newest.step), and that save was merged before"
                + " the next one; "
        return detection(
            "lost update", slot,
            start + end(unsaved.value, origin.reading.version, current, after.values[slot]))
    }

    private func end(
        _ wanted: ObservedValue, _ version: Int, _ current: ObservedValue, _ after: ObservedValue
    ) -> String {
        if wanted == current, change.after?.version == change.before?.version {
            return "\(entry.context) set the same \(wanted.quoted), computed from version"
                + " \(version), so one of the two changes is lost"
        }
        if wanted == current {
            return "\(entry.context) saved \(after.quoted) computed from version \(version), so"
                + " one of the two changes is lost"
        }
        if after == current {
            return "\(entry.context)'s \(wanted.quoted), computed from version \(version), was"
                + " dropped although its save succeeded, so \(wanted.quoted) is lost"
        }
        return "\(entry.context) saved \(after.quoted) computed from version \(version), so"
            + " \(current.quoted) is lost"
    }

    private func finding(_ slot: Int, base: Row, before: Row, after: Row) -> Detection? {
        let wanted = change.wanted.first { $0.slot == slot }?.value
        let isElsewhere = before.values[slot] != base.values[slot]
        switch (wanted, isElsewhere) {
        case (let wanted?, true):
            return bothChanged(slot, wanted: wanted, base: base, before: before, after: after)
        case (nil, true):
            if after.values[slot] == before.values[slot] { return nil }
            return detection(
                "lost property", slot,
                "\(other(before)) saved \(before.values[slot].quoted) as version"
                    + " \(before.version); \(entry.context) did not change \(name(slot)) but wrote"
                    + " \(after.values[slot].quoted) back, so \(before.values[slot].quoted) is lost"
            )
        case (let wanted?, false):
            // If the row contains neither of the two values, a merge policy has chosen another
            // value.
            if after.values[slot] != before.values[slot] { return nil }
            return detection(
                "lost property", slot,
                "\(entry.context) set \(name(slot)) to \(wanted.quoted), no other context changed"
                    + " it, and the save succeeded; the row still has \(after.values[slot].quoted),"
                    + " so \(wanted.quoted) is lost")
        case (nil, false): return nil
        }
    }

    private func bothChanged(
        _ slot: Int, wanted: ObservedValue, base: Row, before: Row, after: Row
    ) -> Detection? {
        let (current, result) = (before.values[slot], after.values[slot])
        let start =
            "\(entry.context) started from \(name(slot)) \(base.values[slot].quoted) at version"
            + " \(base.version); \(other(before)) saved \(current.quoted) as"
            + " version \(before.version); "
        // If the row contains neither of the two values, a merge policy has combined them.
        if result != wanted, result != current { return nil }
        if let unsaved = origins.unsaved(change, slot, save, entry.context), unsaved.isComputed {
            return detection(
                "lost update", slot, start + end(wanted, base.version, current, result))
        }
        if result != current {
            return detection(
                "lost update", slot,
                start + "\(entry.context) saved \(result.quoted) over it, so"
                    + " \(current.quoted) is lost")
        }
        if result != wanted {
            return detection(
                "lost update", slot,
                start + "\(entry.context)'s \(wanted.quoted) was dropped although its save"
                    + " succeeded, so \(wanted.quoted) is lost")
        }
        return nil
    }

    /// Finds a value that became nil or a default although no step set it. This happens if the save
    /// inserts an object with the same unique key.
    private func blanked(before: Row, after: Row) -> [Detection] {
        before.values.indices.compactMap { slot in
            let old = before.values[slot]
            let new = after.values[slot]
            if change.named.contains(slot) {
                guard let wanted = change.wanted.first(where: { $0.slot == slot })?.value,
                    new != wanted
                else { return nil }
                return detection(
                    "lost property", slot,
                    "\(entry.context) inserted a row with \(name(slot)) \(wanted.quoted) and its"
                        + " save succeeded; the existing row kept \(new.quoted), so"
                        + " \(wanted.quoted) is lost")
            }
            guard old != .null, new != old, !new.isObject else { return nil }
            return detection(
                "blanked by trump", slot,
                "\(name(slot)) was \(old.quoted) at version \(before.version);"
                    + " \(entry.context) inserted a row with the same key, never set"
                    + " \(key(slot)), and its save wrote \(new.quoted) over \(old.quoted)")
        }
    }

    private func key(_ slot: Int) -> String { history.schema.key(slot, of: change.object.entity) }

    private func name(_ slot: Int) -> String { "\(change.object.alias).\(key(slot))" }

    /// The context that wrote the row version that this save replaced.
    private func other(_ before: Row) -> String {
        writer(of: before)?.context ?? "another context"
    }

    private func writer(of row: Row) -> History.Entry? {
        history.entries[..<index].last { earlier in
            guard case .saved(let other) = earlier.event, other.target == save.target else {
                return false
            }
            return other.changes.contains {
                $0.object == change.object && $0.after == row
                    && $0.before != row
            }
        }
    }

    private func detection(_ kind: String, _ slot: Int, _ prose: String) -> Detection {
        var evidence: [String] = []
        if let before = change.before, let writer = writer(of: before) {
            evidence.append(
                "\(writer.step): \(writer.context) saved"
                    + " \(name(slot)) = \(before.values[slot].quoted)"
            )
        }
        if let wanted = change.wanted.first(where: { $0.slot == slot })?.value {
            evidence.append("\(entry.step): \(entry.context) wanted \(wanted.quoted)")
        }
        if let after = change.after {
            evidence.append("\(entry.step): the row has \(after.values[slot].quoted)")
        }
        return Detection(name: kind, prose: prose + ".", evidence: evidence, step: entry.step)
    }
}
