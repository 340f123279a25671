import ContextHistory

/// Finds two contexts, each of which read a value that the other one then changed. They wrote
/// different rows, so the version check detects no conflict.
enum WriteSkew {
    private struct Writer {
        let index: Int
        let entry: History.Entry
        /// The context's reads of rows other than its own, before its save, with the versions of
        /// the rows.
        let reads: [(object: ObjectName, key: String, version: Int)]
        let changes: [Save.Change]
    }

    static func detect(in history: History) -> [Detection] {
        let writers = writers(in: history)
        var found: [Detection] = []
        // Long recordings have many saves, so only the writers of rows that were read are compared.
        var changing: [ObjectName: [Int]] = [:]
        for (position, writer) in writers.enumerated() {
            for object in Set(writer.changes.map(\.object)) {
                changing[object, default: []].append(position)
            }
        }
        for (position, first) in writers.enumerated() {
            let others = Set(first.reads.map(\.object)).reduce(into: Set<Int>()) {
                $0.formUnion((changing[$1] ?? []).lazy.filter { $0 > position })
            }
            for other in others.sorted() {
                let second = writers[other]
                guard first.entry.context != second.entry.context,
                    let one = overwritten(first, by: second, history),
                    let other = overwritten(second, by: first, history), one.object != other.object
                else { continue }
                found.append(detection(first, second, one.text, other.text))
            }
        }
        return found
    }

    private static func writers(in history: History) -> [Writer] {
        var reads: [String: [(object: ObjectName, key: String, version: Int)]] = [:]
        var writers: [Writer] = []
        for (index, entry) in history.entries.enumerated() {
            switch entry.event {
            case .read(let object, let key, _, let version) where version > 0:
                reads[entry.context, default: []].append((object, key, version))
            case .dropped: reads[entry.context] = nil
            case .saved(let save) where save.target == .store:
                let own = Set(save.changes.map(\.object))
                let others = (reads[entry.context] ?? []).filter { !own.contains($0.object) }
                writers.append(
                    Writer(index: index, entry: entry, reads: others, changes: save.changes))
                reads[entry.context] = nil
            default: break
            }
        }
        return writers
    }

    /// A property that the reader has read and the other context has changed. The change must
    /// replace the row version that was read.
    private static func overwritten(
        _ reader: Writer, by other: Writer, _ history: History
    ) -> (object: ObjectName, text: String)? {
        for read in reader.reads {
            guard
                let change = other.changes.first(where: { $0.object == read.object }),
                let before = change.before, let after = change.after,
                before.version == read.version,
                let slot = history.schema.slot(read.key, of: read.object.entity),
                before.values[slot] != after.values[slot]
            else { continue }
            return (read.object, "\(read.object.alias).\(read.key) at version \(read.version)")
        }
        return nil
    }

    private static func detection(
        _ first: Writer, _ second: Writer, _ one: String, _ other: String
    ) -> Detection {
        let (a, b) = (first.entry, second.entry)
        return Detection(
            name: "write skew",
            prose: "\(a.context) read \(one) and saved something else in \(a.step); \(b.context)"
                + " read \(other) and changed the value that \(a.context) had read in \(b.step)."
                + " Each context relied on a value that the other one changed.",
            evidence: [
                "\(a.step): \(a.context) saved after reading \(one)",
                "\(b.step): \(b.context) saved after reading \(other)",
            ], step: b.step)
    }
}
