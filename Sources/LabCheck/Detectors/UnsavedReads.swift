import ContextHistory

/// Finds child contexts that read an unsaved value of their parent. A dirty read returns a value
/// that the parent then dropped. An intermediate read returns a value that the parent replaced
/// before its save.
enum UnsavedReads {
    private struct Place: Hashable {
        let context: String
        let object: ObjectName
        let key: String
    }

    private struct Read {
        let entry: History.Entry
        let object: ObjectName
        let key: String
        let value: ObservedValue
    }

    static func detect(in history: History) -> [Detection] {
        if history.schema.parents.isEmpty { return [] }
        // The unsaved values of each context, with the children's reads of these values.
        var unsaved: [Place: ObservedValue] = [:]
        var reads: [String: [Read]] = [:]
        var found: [Detection] = []
        for entry in history.entries {
            switch entry.event {
            case .write(let object, let key, let value, _):
                let place = Place(context: entry.context, object: object, key: key)
                if unsaved[place] != value {
                    let replaced = reads[entry.context, default: []].filter {
                        $0.object == object && $0.key == key
                    }
                    found += replaced.map {
                        detection("intermediate read", $0, entry, "wrote \(value.quoted) over it")
                    }
                    reads[entry.context]?.removeAll { $0.object == object && $0.key == key }
                }
                unsaved[place] = value
            case .read(let object, let key, let value, _):
                guard let parent = history.schema.parents[entry.context],
                    unsaved[Place(context: entry.context, object: object, key: key)] == nil,
                    unsaved[Place(context: parent, object: object, key: key)] == value
                else { continue }
                reads[parent, default: []].append(
                    Read(entry: entry, object: object, key: key, value: value))
            case .saved, .dropped:
                if case .dropped = entry.event {
                    found += (reads[entry.context] ?? []).map {
                        detection("dirty read", $0, entry, "dropped it")
                    }
                }
                reads[entry.context] = nil
                unsaved = unsaved.filter { $0.key.context != entry.context }
            default: break
            }
        }
        return found
    }

    private static func detection(
        _ name: String, _ read: Read, _ end: History.Entry, _ what: String
    ) -> Detection {
        let property = "\(read.object.alias).\(read.key)"
        return Detection(
            name: name,
            prose: "\(read.entry.context) read \(property) \(read.value.quoted), which"
                + " \(end.context) had not saved; \(end.context) \(what) in \(end.step), so no"
                + " store ever had the value that was read.",
            evidence: [
                "\(read.entry.step): \(read.entry.context) read \(read.value.quoted)",
                "\(end.step): \(end.context) \(what)",
            ], step: read.entry.step)
    }
}
