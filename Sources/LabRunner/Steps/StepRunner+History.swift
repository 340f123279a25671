import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabScenario

extension StepRunner {
    /// The author of a save in the store's history: the context and the step.
    struct Author {
        let context: String
        let step: String

        var text: String { "\(context) in \(step)" }

        init(context: String, step: String) {
            self.context = context
            self.step = step
        }

        init?(_ text: String?) {
            guard let text, let range = text.firstRange(of: " in ") else { return nil }
            context = String(text[..<range.lowerBound])
            step = String(text[range.upperBound...])
        }
    }

    func signHistory() {
        guard world.plan.tracksHistory else { return }
        let author = Author(context: context.plan.name, step: world.recorder.step)
        context.context.transactionAuthor = author.text
    }

    func historyToken() throws(Stop) -> Int64 {
        try engine { () throws(CoreDataError) in
            try context.context.checkConfined("currentPersistentHistoryToken(fromStores:)")
            return try world.lastTransaction()
        }
    }

    func history(since token: String?) throws(Stop) -> [String] {
        try transactions(since: try number(of: token) ?? world.historyStart).map { transaction in
            let changes = (transaction.changes ?? []).flatMap { text(of: $0) }.sorted()
            return "\(transaction.author ?? "?"): \(changes.joined(separator: ", "))"
        }
    }

    private func text(of change: NSPersistentHistoryChange) -> [String] {
        let name = world.alias(change.changedObjectID.objectKey)
        switch change.changeType {
        case .insert: return ["insert \(name)"]
        case .delete: return ["delete \(name)"]
        case .update:
            let keys = (change.updatedProperties ?? []).map(\.name)
            return keys.isEmpty ? ["update \(name)"] : keys.map { "update \(name).\($0)" }
        }
    }

    /// Merges the saves of other contexts, like an app that tracks the store's history.
    func mergeHistory(since token: String?) throws(Stop) -> String {
        let start = try number(of: token) ?? context.mergedHistory ?? world.historyStart
        var taken = 0
        for transaction in try transactions(since: start) {
            context.mergedHistory = transaction.transactionNumber
            let author = Author(transaction.author)
            if author?.context == context.plan.name { continue }
            record(transaction, by: author)
            try reportingChanges(of: context) { () throws(Stop) in
                try engine { () throws(CoreDataError) in
                    try context.context.mergeSaved(transaction.objectIDNotification())
                }
            }
            taken += 1
        }
        return taken == 0 ? "nothing to merge" : taken == 1 ? "1 save" : "\(taken) saves"
    }

    private func record(_ transaction: NSPersistentHistoryTransaction, by author: Author?) {
        guard let author else { return }
        func names(_ type: NSPersistentHistoryChangeType) -> [ObjectName] {
            (transaction.changes ?? []).filter { $0.changeType == type }
                .map { world.name($0.changedObjectID.objectKey) }
        }
        world.recorder.record(
            .merged(
                Merge(
                    source: author.context, savedIn: author.step, inserted: names(.insert),
                    updated: names(.update), deleted: names(.delete))))
    }

    private func transactions(
        since number: Int64
    ) throws(Stop) -> [NSPersistentHistoryTransaction] {
        try engine { () throws(CoreDataError) in
            let token = try world.historyToken(number)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            request.resultType = .transactionsAndChanges
            let result = try context.context.executeRequest(request) as? NSPersistentHistoryResult
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }

    private func number(of token: String?) throws(Stop) -> Int64? {
        guard let token else { return nil }
        guard case .value(.integer(let number), _)? = context.bindings[token] else {
            throw .missing(token)
        }
        return number
    }
}
