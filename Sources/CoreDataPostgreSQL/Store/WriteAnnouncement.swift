import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// The message by which a transaction announces to other stores which rows it has changed.
///
/// It has the form `SENDER NUMBER.KEY …`, with the number of each row's entity. `SENDER *` is the
/// message of a transaction that may have changed any row, or more rows than a message can name.
struct WriteAnnouncement: Equatable {
    /// The server's limit of a message is 8,000 bytes.
    private static let bytesMax = 7_500

    let sender: String
    /// Nil for a transaction that may have changed any row.
    let keys: [ObjectKey]?

    init(sender: String, keys: [ObjectKey]?) {
        self.sender = sender
        self.keys = keys
    }

    /// Reads a message. Rows of entities that the model does not have are left out.
    init?(_ text: String, _ numbers: EntityNumbers) {
        let parts = text.split(separator: " ")
        guard let sender = parts.first else { return nil }
        self.sender = String(sender)
        if parts.dropFirst().first == "*" {
            keys = nil
            return
        }
        keys = parts.dropFirst().compactMap { part in
            let pair = part.split(separator: ".").compactMap { Int64($0) }
            guard pair.count == 2, let entity = numbers.index(of: pair[0]) else { return nil }
            return ObjectKey(entity: entity, key: pair[1])
        }
    }

    func text(_ numbers: EntityNumbers) -> String {
        guard let keys else { return "\(sender) *" }
        var text = sender
        for key in keys {
            text += " \(numbers.number(of: Int(key.entity))).\(key.key)"
            if text.utf8.count > Self.bytesMax { return "\(sender) *" }
        }
        return text
    }

    /// The statement that sends the message when its transaction is committed.
    func statement(
        on channel: String, _ numbers: EntityNumbers
    ) throws(ServerError) -> PipelinedStatement {
        let parameters = Parameters()
        try parameters.append(text: channel)
        try parameters.append(text: text(numbers))
        return PipelinedStatement("SELECT pg_notify($1, $2)", parameters)
    }
}
