import ContextHistory

/// Finds reads of a value that a save had already replaced. There are two findings. If the saving
/// context enqueued the block that reads, it is "read your writes". If a fetch or refresh ran after
/// the save and before the read, it is a stale read.
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
        /// Whether the row's version changed with its values. A write by another process may leave
        /// the version unchanged.
        let movesVersion: Bool
    }

    private struct Request {
        let position: Int
        let step: String
        let isRefresh: Bool
    }

    private struct Walk {
        let history: History
        var found: [Detection] = []
        private var position = 0
        private var commits: [ObjectName: Commit] = [:]
        /// The history entry that enqueued each block, with the position of the entry.
        private var causes: [String: (position: Int, entry: History.Entry)] = [:]
        private var block: (name: String, step: String)?
        /// The block that each context runs, in histories with the ends of blocks.
        private var running: [String: String] = [:]
        /// The origins of unsaved values in the first entries.
        private var origins: (values: ValueOrigins, entries: Int)
        private var requests: [String: [ObjectName: Request]] = [:]
        private var refreshes: [String: Request] = [:]

        init(history: History) {
            self.history = history
            origins = (ValueOrigins(schema: history.schema), 0)
        }

        mutating func visit(_ entry: History.Entry) {
            position += 1
            switch entry.event {
            case .saved(let save) where save.target == .store:
                for change in save.changes { commit(change, entry, by: entry.context) }
            case .wroteOutside(let changes) where !mutant(.outsideWritesAreUnknown):
                for change in changes { commit(change, entry, by: History.outsider) }
            case .enqueued(let name, _): causes[name] = (position, entry)
            case .blockBegan(let name):
                block = (name, entry.step)
                running[entry.context] = name
            case .blockEnded: running[entry.context] = nil
            case .looked(_, _, let objects, _, _):
                let request = Request(position: position, step: entry.step, isRefresh: false)
                for object in objects { requests[entry.context, default: [:]][object] = request }
            case .refreshed(let object, _): refresh(object, entry)
            case .read(let object, let key, let value, let version):
                judge(entry, object, key, value, version)
            default: break
            }
        }

        private mutating func commit(
            _ change: Save.Change, _ entry: History.Entry, by context: String
        ) {
            guard let after = change.after else {
                // A read of a deleted row is not a stale read, because the row has no newer values.
                if !mutant(.deletedRowsGoStale) { commits[change.object] = nil }
                return
            }
            if after == change.before { return }
            commits[change.object] = Commit(
                position: position, step: entry.step, context: context, row: after,
                movesVersion: after.version != change.before?.version)
        }

        /// Records a refresh. Refreshes in nested contexts are not recorded, because the parent's
        /// values may be old.
        private mutating func refresh(_ object: ObjectName?, _ entry: History.Entry) {
            if history.schema.parents[entry.context] != nil || mutant(.refreshAsksNobody) { return }
            let request = Request(position: position, step: entry.step, isRefresh: true)
            if let object {
                requests[entry.context, default: [:]][object] = request
            } else {
                refreshes[entry.context] = request
            }
        }

        private func request(for object: ObjectName, by context: String) -> Request? {
            [requests[context]?[object], refreshes[context]].compactMap(\.self)
                .max { $0.position < $1.position }
        }

        /// Whether the context reads its own unsaved value, which is newer than the row.
        private mutating func isUnsaved(
            _ reading: WriteBasis.Reading, _ context: String
        ) -> Bool {
            if mutant(.unsavedValuesGoStale) { return false }
            while origins.entries < position - 1 {
                origins.values.visit(history.entries[origins.entries])
                origins.entries += 1
            }
            return origins.values.isUnsaved(reading, in: context)
        }

        private mutating func judge(
            _ entry: History.Entry, _ object: ObjectName, _ key: String, _ value: ObservedValue,
            _ version: Int
        ) {
            guard let commit = commits[object], commit.context != entry.context,
                commit.movesVersion
                    ? version < commit.row.version : version <= commit.row.version,
                let slot = history.schema.slot(key, of: object.entity),
                commit.row.values[slot] != value, commit.row.values[slot] != .unknown
            else { return }
            let new = commit.row.values[slot]
            let name = block.flatMap { $0.step == entry.step ? $0.name : nil }
            if let name = name ?? running[entry.context], let cause = causes[name],
                cause.position > commit.position, cause.entry.context == commit.context
            {
                add(
                    "read your writes", entry, commit, object, key, value, new,
                    "\(commit.context) saved \(object.alias).\(key) = \(new.quoted) in"
                        + " \(commit.step) and then put '\(name)' on \(entry.context)'s"
                        + " queue; the block ran before the save was merged there and read"
                        + " \(value.quoted).")
            } else if let request = request(for: object, by: entry.context),
                request.position > commit.position,
                !isUnsaved(WriteBasis.Reading(object, key, value, version: version), entry.context)
            {
                add(
                    "stale read", entry, commit, object, key, value, new,
                    "\(commit.context) saved \(object.alias).\(key) = \(new.quoted) in"
                        + " \(commit.step); \(entry.context)"
                        + " \(request.isRefresh ? "refreshed" : "fetched") \(object.alias) after"
                        + " that, in \(request.step), and still read \(value.quoted) at version"
                        + " \(version).")
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
