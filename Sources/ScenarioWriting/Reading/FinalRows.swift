/// The rows in the store at the end of the run, computed from the initial rows and the saved
/// changes.
struct FinalRows {
    private(set) var values: [RecordedObject: [String: RecordedValue]] = [:]
    private var pending: [Int: [RecordedObject: [String: RecordedValue]]] = [:]
    private var deletions: [Int: Set<RecordedObject>] = [:]
    private let contexts: [RecordedContext]

    init(_ initial: InitialRows, _ cut: RunCut, _ contexts: [RecordedContext]) {
        self.contexts = contexts
        values = initial.values
        for operation in cut.operations { take(operation) }
    }

    private mutating func take(_ operation: RecordedOperation) {
        let context = operation.context
        switch operation.action {
        case .insert(let object): pending[context, default: [:]][object] = [:]
        case .set(let object, let key, let value, _):
            pending[context, default: [:]][object, default: [:]][key] = value
        case .delete(let object): deletions[context, default: []].insert(object)
        case .refresh(let object, false): pending[context]?[object] = nil
        case .rollback, .reset:
            pending[context] = nil
            deletions[context] = nil
        case .commit(let rows, _): commit(context, rows.filter(\.isWritten))
        default: break
        }
    }

    private mutating func commit(_ context: Int, _ rows: [RecordedRow]) {
        let changes = pending.removeValue(forKey: context) ?? [:]
        let gone = deletions.removeValue(forKey: context) ?? []
        if let parent = contexts[context].parent {
            for (object, values) in changes {
                pending[parent, default: [:]][object, default: [:]].merge(values) { $1 }
            }
            deletions[parent, default: []].formUnion(gone)
            return
        }
        for (object, new) in changes where !gone.contains(object) {
            values[object, default: [:]].merge(new) { $1 }
        }
        for object in gone { values[object] = nil }
        for row in rows {
            guard let after = row.after else {
                values[row.object] = nil
                continue
            }
            values[row.object, default: [:]].merge(after.values) { $1 }
        }
    }
}
