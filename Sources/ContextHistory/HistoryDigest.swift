/// A hash of a whole history, which is the same in every process. The runner repeats some schedules
/// and compares the hashes of their histories.
package struct HistoryDigest {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    private init() {}

    package static func of(_ history: History) -> UInt64 {
        var digest = HistoryDigest()
        for entry in history.entries {
            digest.add(entry.step)
            digest.add(entry.context)
            digest.add(entry.event)
        }
        return digest.state
    }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        state = (state ^ 0xFF) &* 0x100_0000_01B3
    }

    private mutating func add(_ number: Int) { add(String(number)) }

    private mutating func add(_ name: ObjectName) {
        add(name.alias)
        add(name.entity)
    }

    private mutating func add(_ row: Row?) {
        add(row?.version ?? -1)
        for value in row?.values ?? [] { add(value.quoted) }
    }

    private mutating func add(_ event: History.Event) {
        switch event {
        case .saved(let save): add(save)
        case .merged(let merge):
            add(merge.source)
            add(merge.savedIn)
            for name in merge.inserted + merge.updated + merge.deleted { add(name) }
        case .held(let name, let row):
            add(name)
            add(row)
        case .saveFailed(let failure):
            add(failure.code)
            for name in failure.culprits + failure.pending { add(name) }
        case .read(let name, let key, let value, let version):
            add(name)
            add("\(key) \(value.quoted) \(version)")
        case .write(let name, let key, let value, let basis):
            add(name)
            add("\(key) \(value.quoted)")
            if case .computed(let readings) = basis {
                for reading in readings {
                    add(reading.object)
                    add("\(reading.key) \(reading.value.quoted) \(reading.version)")
                }
            }
        case .refreshed(let name, let keepsChanges):
            if let name { add(name) }
            add("\(keepsChanges)")
        case .wroteOutside(let changes): for change in changes { add(change) }
        case .tookTemporary(let name, let source):
            add(name)
            add(source)
        case .looked(_, let query, let found, let count, _):
            add("\(query) \(count)")
            for name in found { add(name) }
        case .failed(let code, let message): add("\(code) \(message)")
        case .misuse(let misuse, let message): add("\(misuse.rawValue) \(message)")
        default: add("\(event)")
        }
    }

    private mutating func add(_ save: Save) {
        add(save.policy)
        for change in save.changes { add(change) }
    }

    private mutating func add(_ change: Save.Change) {
        add(change.object)
        add(change.base)
        add(change.before)
        add(change.after)
        for wanted in change.wanted { add("\(wanted.slot) \(wanted.value.quoted)") }
        for slot in change.named { add(slot) }
    }
}
