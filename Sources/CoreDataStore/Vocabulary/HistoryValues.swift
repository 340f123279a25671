import CoreDataModel
import Foundation

package enum HistoryChangeKind: Int, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

package struct HistoryTransaction: Sendable {
    package let number: Int64
    package let timestamp: Double
    package let author: String?
    package let bundle: String
    package let contextName: String?
    package let process: String
    package var changes: [HistoryChange] = []

    package init(
        number: Int64, timestamp: Double, author: String?, bundle: String, contextName: String?,
        process: String
    ) {
        self.number = number
        self.timestamp = timestamp
        self.author = author
        self.bundle = bundle
        self.contextName = contextName
        self.process = process
    }
}

package struct HistoryChange: Sendable {
    package let number: Int64
    package let kind: HistoryChangeKind
    package let key: ObjectKey
    /// The names of the changed properties, for an update.
    package let properties: [String]
    /// The preserved values of a deleted row, by the name of the property.
    package let tombstone: [(name: String, kind: ValueKind, value: Value)]

    package init(
        number: Int64, kind: HistoryChangeKind, key: ObjectKey, properties: [String],
        tombstone: [(name: String, kind: ValueKind, value: Value)]
    ) {
        self.number = number
        self.kind = kind
        self.key = key
        self.properties = properties
        self.tombstone = tombstone
    }
}
