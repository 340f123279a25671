import ContextHistory

/// Finds contexts that read one row from before a save, and another row from after it. The context
/// neither saved nor rolled back in between.
enum ReadSkew {
    private struct Read {
        let entry: History.Entry
        let object: ObjectName
        let key: String
        let version: Int
    }

    static func detect(in history: History) -> [Detection] {
        var units: [String: [Read]] = [:]
        var finished: [[Read]] = []
        var saves: [(entry: History.Entry, save: Save)] = []
        for entry in history.entries {
            switch entry.event {
            case .read(let object, let key, _, let version) where version > 0:
                units[entry.context, default: []].append(
                    Read(entry: entry, object: object, key: key, version: version))
            case .saved(let save):
                if let unit = units.removeValue(forKey: entry.context) { finished.append(unit) }
                if save.target == .store, save.changes.count > 1 { saves.append((entry, save)) }
            case .dropped:
                if let unit = units.removeValue(forKey: entry.context) { finished.append(unit) }
            default: break
            }
        }
        finished += units.sorted { $0.key < $1.key }.map(\.value)
        // Long recordings have many units, so only those that read changed rows are compared.
        var reading: [ObjectName: [Int]] = [:]
        for (index, unit) in finished.enumerated() {
            for object in Set(unit.map(\.object)) { reading[object, default: []].append(index) }
        }
        return saves.flatMap { saved in
            let units = Set(saved.save.changes.flatMap { reading[$0.object] ?? [] })
            return units.sorted().compactMap {
                skew(finished[$0], saved.entry, saved.save, history.schema)
            }
        }
    }

    private static func skew(
        _ unit: [Read], _ writer: History.Entry, _ save: Save, _ schema: History.Schema
    ) -> Detection? {
        guard unit.first?.entry.context != writer.context,
            let old = unit.first(where: { read in
                changed(read, save, schema)?.before?.version == read.version
            }),
            let new = unit.first(where: { read in
                read.object != old.object
                    && changed(read, save, schema)?.after?.version == read.version
            })
        else { return nil }
        let reader = old.entry.context
        return Detection(
            name: "read skew",
            prose: "\(writer.context) saved \(name(old)) and \(name(new)) together in"
                + " \(writer.step); \(reader) read \(name(old)) from before that save and"
                + " \(name(new)) from after it, which the store never had at one time.",
            evidence: [
                "\(old.entry.step): \(reader) read \(name(old)) at version \(old.version)",
                "\(writer.step): \(writer.context) saved both",
                "\(new.entry.step): \(reader) read \(name(new)) at version \(new.version)",
            ], step: new.entry.step)
    }

    /// The save's change of the property that the context read.
    private static func changed(
        _ read: Read, _ save: Save, _ schema: History.Schema
    ) -> Save.Change? {
        save.changes.first { change in
            guard change.object == read.object, let before = change.before,
                let after = change.after, let slot = schema.slot(read.key, of: read.object.entity)
            else { return false }
            return before.values[slot] != after.values[slot]
        }
    }

    private static func name(_ read: Read) -> String { "\(read.object.alias).\(read.key)" }
}
