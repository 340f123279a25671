/// Finds reads of a value that a save had replaced before: by a block that the saving side put on
/// the queue (read your writes), or after a fetch that ran after the save (stale read).
enum StaleReads {
    static func detect(in history: History) -> [Detection] {
        var walk = Walk(history: history)
        for entry in history.entries { walk.visit(entry) }
        return walk.found
    }

    private struct Commit {
        let position: Int
        let step: String
        let context: String
        let row: Row
    }

    private struct Walk {
        let history: History
        var found: [Detection] = []
        private var position = 0
        /// The latest committed row of each object.
        private var commits: [ObjectName: Commit] = [:]
        /// Who enqueued each block, and when.
        private var causes: [String: (position: Int, entry: History.Entry)] = [:]
        private var block: (name: String, step: String)?
        /// When each context last fetched each object.
        private var fetches: [String: [ObjectName: (position: Int, step: String)]] = [:]

        init(history: History) {
            self.history = history
        }

        mutating func visit(_ entry: History.Entry) {
            position += 1
            switch entry.event {
            case .saved(let save) where save.target == .store: commit(save, entry)
            case .enqueued(let name, _): causes[name] = (position, entry)
            case .blockBegan(let name): block = (name, entry.step)
            case .looked(_, _, let objects, _):
                for object in objects {
                    fetches[entry.context, default: [:]][object] = (position, entry.step)
                }
            case .read(let object, let key, let value, let version):
                judge(entry, object, key, value, version)
            default: break
            }
        }

        private mutating func commit(_ save: Save, _ entry: History.Entry) {
            for change in save.changes {
                guard let after = change.after, after != change.before else { continue }
                commits[change.object] = Commit(
                    position: position, step: entry.step, context: entry.context, row: after)
            }
        }

        private mutating func judge(
            _ entry: History.Entry, _ object: ObjectName, _ key: String, _ value: ObservedValue,
            _ version: Int
        ) {
            guard let commit = commits[object], commit.context != entry.context,
                version < commit.row.version,
                let slot = history.schema.slot(key, of: object.entity),
                commit.row.values[slot] != value
            else { return }
            let new = commit.row.values[slot]
            if let block, block.step == entry.step, let cause = causes[block.name],
                cause.position > commit.position, cause.entry.context == commit.context
            {
                add(
                    "read your writes", entry, commit, object, key, value, new,
                    "\(commit.context) saved \(object.alias).\(key) = \(new.quoted) in"
                        + " \(commit.step) and then put '\(block.name)' on \(entry.context)'s"
                        + " queue; the block ran before the save was merged there and read"
                        + " \(value.quoted).")
            } else if let fetch = fetches[entry.context]?[object], fetch.position > commit.position
            {
                add(
                    "stale read", entry, commit, object, key, value, new,
                    "\(commit.context) saved \(object.alias).\(key) = \(new.quoted) in"
                        + " \(commit.step); \(entry.context) fetched \(object.alias) after that, in"
                        + " \(fetch.step), and still read \(value.quoted) at version \(version).")
            }
        }

        private mutating func add(
            _ name: String, _ entry: History.Entry, _ commit: Commit, _ object: ObjectName,
            _ key: String, _ value: ObservedValue, _ new: ObservedValue, _ prose: String
        ) {
            found.append(
                Detection(
                    name: name, prose: prose,
                    evidence: [
                        "\(commit.step): \(commit.context) saved"
                            + " \(object.alias).\(key) = \(new.quoted)",
                        "\(entry.step): \(entry.context) read \(value.quoted)",
                    ], step: entry.step))
        }
    }
}
