import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// The predicate of a history request's fetch request. It selects transactions or changes, and is
/// evaluated in memory.
///
/// Predicates can use the keys of the two entities that are declared here.
struct HistoryFilter {
    static let transactionEntity = "Transaction"
    static let changeEntity = "Change"

    let isForChanges: Bool
    private let predicate: NSPredicate?

    init(_ request: NSFetchRequest<any NSFetchRequestResult>?) throws(CoreDataError) {
        predicate = request?.predicate
        isForChanges = request?.entityName == Self.changeEntity
        guard let request else { return }
        guard [Self.transactionEntity, Self.changeEntity].contains(request.entityName ?? "") else {
            throw CoreDataError(
                .invalidArgument,
                "A request for history needs a fetch request on"
                    + " '\(request.entityName ?? "")'. Use NSPersistentHistoryTransaction"
                    + ".fetchRequest or NSPersistentHistoryChange.fetchRequest.")
        }
        guard request.sortDescriptors?.isEmpty ?? true else {
            throw CoreDataError(
                .invalidArgument,
                "A request for history cannot be sorted; its results are in chronological order.")
        }
    }

    /// - Parameter store: the UUID of the transaction's store. A token in the predicate is replaced
    ///   by the number of its transaction in that store.
    func accepts(
        _ transaction: HistoryTransaction, of store: String
    ) throws(CoreDataError) -> Bool {
        guard !isForChanges,
            let predicate = predicate?.mappingConstants({ constant in
                guard let token = constant as? NSPersistentHistoryToken else { return constant }
                return token.numbers[store] ?? 0
            })
        else { return true }
        var values: [String: Any] = [
            "bundleID": transaction.bundle, "processID": transaction.process,
            "timestamp": Date(timeIntervalSinceReferenceDate: transaction.timestamp),
            "token": transaction.number, "transactionNumber": transaction.number,
            "author": NSNull(), "contextName": NSNull(),
        ]
        values["author"] = transaction.author ?? values["author"]
        values["contextName"] = transaction.contextName ?? values["contextName"]
        return try holds(predicate, values)
    }

    func accepts(_ change: NSPersistentHistoryChange) throws(CoreDataError) -> Bool {
        guard let predicate, isForChanges else { return true }
        return try holds(
            predicate,
            [
                "changedID": change.changedObjectID.key.key, "changeID": change.changeID,
                "changeType": change.changeType.rawValue,
                "changedEntity": change.changedObjectID.entity,
                "changedObjectID": change.changedObjectID,
            ])
    }

    private func holds(
        _ predicate: NSPredicate, _ values: [String: Any]
    ) throws(CoreDataError) -> Bool {
        do {
            return try predicate.evaluateCore(with: values, variables: nil)
        } catch {
            throw CoreDataError(.invalidArgument, "\(error)")
        }
    }

    // MARK: Entities

    static func entity(
        _ name: String, _ attributes: [(String, NSAttributeType)]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        return entity
    }

    static func fetchRequest(
        for entity: NSEntityDescription?
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        return request
    }
}

extension NSPersistentHistoryTransaction {
    /// The entity whose attributes are the keys that predicates over transactions can use.
    public class var entityDescription: NSEntityDescription? {
        HistoryFilter.entity(
            HistoryFilter.transactionEntity,
            [
                ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
                ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
                ("timestamp", .dateAttributeType), ("token", .integer64AttributeType),
                ("transactionNumber", .integer64AttributeType),
            ])
    }

    /// A fetch request for `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryFilter.fetchRequest(for: entityDescription)
    }

    /// The keys that a predicate over transactions may use; the same for every context.
    public class func entityDescription(
        with context: NSManagedObjectContext
    ) -> NSEntityDescription? { entityDescription }
}

extension NSPersistentHistoryChange {
    /// The entity whose attributes are the keys that predicates over changes can use.
    public class var entityDescription: NSEntityDescription? {
        HistoryFilter.entity(
            HistoryFilter.changeEntity,
            [
                ("changeID", .integer64AttributeType), ("changedID", .integer64AttributeType),
                ("changeType", .integer64AttributeType),
                ("changedEntity", .undefinedAttributeType),
                ("changedObjectID", .objectIDAttributeType),
            ])
    }

    /// A fetch request for `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryFilter.fetchRequest(for: entityDescription)
    }

    /// The keys that a predicate over changes may use; the same for every context.
    public class func entityDescription(
        with context: NSManagedObjectContext
    ) -> NSEntityDescription? { entityDescription }
}
