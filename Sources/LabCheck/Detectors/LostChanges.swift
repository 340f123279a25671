/// Finds changes that a successful save dropped or overwrote: lost update, lost property, and
/// values blanked by an insert. Called once for each history.
enum LostChanges {
    static func detect(in history: History) -> [Detection] {
        var found: [Detection] = []
        for (index, entry) in history.entries.enumerated() {
            guard case .saved(let save) = entry.event else { continue }
            for change in save.changes where !change.isDelete {
                let judge = Judge(
                    history: history, index: index, entry: entry, save: save, change: change)
                found += judge.findings()
            }
        }
        return found
    }
}

/// Compares one changed row: what the context started from, what the target had, what the context
/// wanted, and what came of it.
private struct Judge {
    let history: History
    let index: Int
    let entry: History.Entry
    let save: Save
    let change: Save.Change

    func findings() -> [Detection] {
        guard let before = change.before, let after = change.after else { return [] }
        guard let base = change.base else { return blanked(before: before, after: after) }
        // Nobody wrote in between: whatever is saved was based on what is there.
        guard before != base else { return [] }
        return base.values.indices.compactMap { slot in
            finding(slot, base: base, before: before, after: after)
        }
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
            if after.values[slot] == wanted { return nil }
            return detection(
                "lost property", slot,
                "\(entry.context) set \(name(slot)) to \(wanted.quoted), nobody else changed it,"
                    + " and the save succeeded; the row still has \(after.values[slot].quoted), so"
                    + " \(wanted.quoted) is lost")
        case (nil, false): return nil
        }
    }

    private func bothChanged(
        _ slot: Int, wanted: ObservedValue, base: Row, before: Row, after: Row
    ) -> Detection? {
        let start =
            "\(entry.context) started from \(name(slot)) \(base.values[slot].quoted) at version"
            + " \(base.version); \(other(before)) saved \(before.values[slot].quoted) as"
            + " version \(before.version); "
        let isOneOfThem = after.values[slot] == wanted || after.values[slot] == before.values[slot]
        if isOneOfThem, isComputedFromOld(slot, base: base) {
            return detection(
                "lost update", slot,
                start + "\(entry.context) saved \(after.values[slot].quoted)"
                    + " computed from version \(base.version), so "
                    + (after.values[slot] == before.values[slot] && wanted != before.values[slot]
                        ? "\(wanted.quoted) is lost"
                        : wanted == before.values[slot]
                            ? "one of the two changes is lost"
                            : "\(before.values[slot].quoted) is lost"))
        }
        // A third value is the work of a policy that computes: it knew both.
        if !isOneOfThem { return nil }
        if after.values[slot] != before.values[slot] {
            return detection(
                "lost update", slot,
                start + "\(entry.context) saved \(after.values[slot].quoted) over it, so"
                    + " \(before.values[slot].quoted) is lost")
        }
        if after.values[slot] != wanted {
            return detection(
                "lost update", slot,
                start + "\(entry.context)'s \(wanted.quoted) was dropped although its save"
                    + " succeeded, so \(wanted.quoted) is lost")
        }
        return nil
    }

    /// Whether the context computed its value from what it had read before the other save.
    private func isComputedFromOld(_ slot: Int, base: Row) -> Bool {
        history.entries[..<index].contains { earlier in
            guard earlier.context == entry.context,
                case .write(change.object, key(slot), _, let basis) = earlier.event,
                case .computed(change.object, key(slot), let version) = basis
            else { return false }
            return version == base.version
        }
    }

    /// A value that was there, and is nil or a default now because an object that never set it was
    /// inserted.
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
                        + " save succeeded; the row that was there kept \(new.quoted), so"
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

    /// Who saved the row that this save met.
    private func other(_ before: Row) -> String {
        writer(of: before)?.context ?? "another context"
    }

    private func writer(of row: Row) -> History.Entry? {
        history.entries[..<index].last { earlier in
            guard case .saved(let other) = earlier.event, other.target == save.target else {
                return false
            }
            return other.changes.contains { $0.object == change.object && $0.after == row }
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
