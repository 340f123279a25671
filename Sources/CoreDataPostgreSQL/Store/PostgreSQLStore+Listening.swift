import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Announcements of writes by `NOTIFY`.
extension PostgreSQLStore: ListeningStore {
    func listen(_ body: @escaping @Sendable ([ObjectKey]?) -> Void) {
        guard let listener else { return }
        let (numbers, sender) = (schema.numbers, sender)
        listener.start { text in
            guard let text else { return body(nil) }
            guard let message = WriteAnnouncement(text, numbers), message.sender != sender else {
                return
            }
            body(message.keys)
        }
    }

    /// The statement that announces changed rows to other stores; empty if the store does not
    /// announce its writes, or no row has changed.
    ///
    /// - Parameter keys: the rows; nil if any row may have changed.
    func announcing(_ keys: [ObjectKey]?) throws(ServerError) -> [PipelinedStatement] {
        guard announces, keys.map({ !$0.isEmpty }) ?? true else { return [] }
        return [
            try WriteAnnouncement(sender: sender, keys: keys).statement(
                on: channel, schema.numbers)
        ]
    }
}
