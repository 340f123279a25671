import CoreData
import Foundation
import LabBench

/// The store into which a victim writes the values of its `Ledger`, with a coordinator and a
/// context.
final class LedgerStore {
    /// The parameters for opening a store.
    struct Opening {
        var path: String
        var model = LedgerModel.first
        var type = NSSQLiteStoreType
        var journal = JournalSetting.walNormal
        var options: [AnyHashable: Any] = [:]
        /// The value of `level` in accounts that were migrated from the template.
        var migratedLevel = LedgerModel.level
        /// Whether most notes are large enough to be stored in files next to the store.
        var hasExternalNotes = false
        /// Whether SQLite never syncs, regardless of the journal setting.
        var isUnsynced = false

        var pragmas: [String: String] {
            isUnsynced
                ? journal.pragmas.merging(["synchronous": "off"]) { $1 } : journal.pragmas
        }
    }

    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    static let markKey = "mark"

    let opening: Opening
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore
    let context: NSManagedObjectContext

    init(_ opening: Opening) throws {
        self.opening = opening
        coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: opening.model.make(hasExternalNotes: opening.hasExternalNotes))
        var options = opening.options
        if opening.type == NSSQLiteStoreType {
            options[NSSQLitePragmasOption] = opening.pragmas
        }
        store = try coordinator.addPersistentStore(
            ofType: opening.type, configurationName: nil,
            at: URL(fileURLWithPath: opening.path), options: options)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Creates the ledger of an open document. It uses the document's context.
    init(_ opening: Opening, _ context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator,
            let store = coordinator.persistentStores.first
        else { throw Damage(description: "the document has no store") }
        self.opening = opening
        self.coordinator = coordinator
        self.store = store
        self.context = context
    }

    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    // MARK: Writing

    /// Makes the changes of one step and saves them.
    ///
    /// - Parameter name: the context name that the history records.
    func perform(_ edits: [Ledger.Edit], name: String) throws {
        try context.performAndWait {
            context.name = name
            do {
                for edit in edits { try apply(edit) }
                if context.hasChanges { try context.save() }
            } catch {
                context.rollback()
                throw error
            }
        }
    }

    private func apply(_ edit: Ledger.Edit) throws {
        switch edit {
        case .addTag(let serial, let label):
            let tag = insert("Tag", serial)
            tag.setValue(label, forKey: "label")
        case .addAccount(let serial, let name, let amount, let size):
            let account = insert("Account", serial)
            account.setValue(name, forKey: opening.model.nameKey)
            account.setValue(amount, forKey: "amount")
            account.setValue(note(serial, size), forKey: "note")
        case .addEntry(let serial, let account, let text):
            let entry = insert("Entry", serial)
            entry.setValue(text, forKey: "text")
            let owner = try object("Account", account)
            owner.mutableOrderedSetValue(forKey: "entries").add(entry)
        case .link(let account, let tag):
            let partner = try object("Tag", tag)
            try object("Account", account).mutableSetValue(forKey: "tags").add(partner)
        case .unlink(let account, let tag):
            let partner = try object("Account", account)
            try object("Tag", tag).mutableSetValue(forKey: "accounts").remove(partner)
        case .pay(let account, let amount):
            let payee = try object("Account", account)
            payee.setValue(Self.integer(payee, "amount") + amount, forKey: "amount")
        case .rename(let account, let name):
            let renamed = try object("Account", account)
            renamed.setValue(name, forKey: opening.model.nameKey)
            // If the note is set again, the store writes the same bytes to another file.
            if opening.hasExternalNotes, let note = renamed.value(forKey: "note") as? Data {
                renamed.setValue(note, forKey: "note")
            }
        case .reverseEntries(let account):
            let owner = try object("Account", account)
            let entries = (owner.value(forKey: "entries") as? NSOrderedSet)?.array ?? []
            owner.setValue(NSOrderedSet(array: entries.reversed()), forKey: "entries")
        case .removeAccount(let serial): context.delete(try object("Account", serial))
        case .batchInsert, .batchPay, .batchRemove: try applyBatch(edit)
        case .mark(let number):
            var metadata = coordinator.metadata(for: store)
            metadata[Self.markKey] = NSNumber(value: number)
            coordinator.setMetadata(metadata, for: store)
        }
    }

    private func applyBatch(_ edit: Ledger.Edit) throws {
        switch edit {
        case .batchInsert(let serials):
            let rows: [[String: Any]] = serials.map {
                [
                    "serial": $0, opening.model.nameKey: "batch \($0)", "amount": $0,
                    "note": Data(),
                ]
            }
            _ = try context.execute(NSBatchInsertRequest(entityName: "Account", objects: rows))
        case .batchPay(let bound, let amount):
            let request = NSBatchUpdateRequest(entityName: "Account")
            request.predicate = NSPredicate(format: "serial < %lld", bound)
            request.propertiesToUpdate = ["amount": amount]
            _ = try context.execute(request)
        case .batchRemove(let bound):
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Account")
            fetch.predicate = NSPredicate(format: "serial < %lld", bound)
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        default: break
        }
    }

    private func insert(_ entity: String, _ serial: Int64) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(serial, forKey: "serial")
        return object
    }

    private func object(_ entity: String, _ serial: Int64) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "serial == %lld", serial)
        let found = try context.fetch(request)
        guard found.count == 1 else {
            throw Damage(description: "\(found.count) objects of \(entity) have serial \(serial)")
        }
        return found[0]
    }

    private func note(_ serial: Int64, _ size: Int) -> Data {
        let count = opening.hasExternalNotes ? Self.externalSize(size) : size
        return Data(repeating: UInt8(truncatingIfNeeded: serial / 1_000), count: count)
    }

    /// The size in bytes of an external note, computed from its size in the ledger. `ledgerSize`
    /// reverses the computation. This works because sizes in the ledger are either below 1,000 or
    /// far above it.
    private static func externalSize(_ size: Int) -> Int {
        size < 1_000 ? size * 1_000 : size + 1_000_000
    }

    private func ledgerSize(_ count: Int) -> Int {
        guard opening.hasExternalNotes else { return count }
        return count < 1_000_000 ? count / 1_000 : count - 1_000_000
    }

    static func integer(_ object: NSManagedObject, _ key: String) -> Int64 {
        let value = object.value(forKey: key)
        return value as? Int64 ?? (value as? NSNumber)?.int64Value ?? .min
    }

    // MARK: Reading

    /// Reads the whole content of the store again.
    ///
    /// - Throws: an error if the store cannot be read, the two ends of a relationship disagree, or
    ///   a value is wrong.
    func read() throws -> Ledger {
        try context.performAndWait {
            context.reset()
            var ledger = Ledger()
            let mark = coordinator.metadata(for: store)[Self.markKey]
            ledger.mark = (mark as? NSNumber)?.int64Value ?? mark as? Int64 ?? 0
            for tag in try all("Tag") {
                try Self.note(tag, "label", in: &ledger.tags)
            }
            for entry in try all("Entry") {
                try Self.note(entry, "text", in: &ledger.entries)
            }
            for account in try all("Account") { try read(account, into: &ledger) }
            try checkInverses(ledger)
            return ledger
        }
    }

    private func all(_ entity: String) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.returnsObjectsAsFaults = false
        return try context.fetch(request)
    }

    private static func note(
        _ object: NSManagedObject, _ key: String, in texts: inout [Int64: String]
    ) throws {
        let serial = integer(object, "serial")
        guard texts[serial] == nil, let text = object.value(forKey: key) as? String else {
            throw Damage(
                description: "\(object.entity.name ?? "") \(serial) exists twice, or lacks"
                    + " its \(key)")
        }
        texts[serial] = text
    }

    private func read(_ account: NSManagedObject, into ledger: inout Ledger) throws {
        let serial = Self.integer(account, "serial")
        let note = account.value(forKey: "note") as? Data ?? Data()
        guard ledger.accounts[serial] == nil else {
            throw Damage(description: "account \(serial) exists twice")
        }
        let size = ledgerSize(note.count)
        guard note == self.note(serial, size) else {
            throw Damage(description: "the note of account \(serial) has the bytes of another note")
        }
        try checkLevel(account, serial)
        ledger.accounts[serial] = Ledger.Account(
            name: account.value(forKey: opening.model.nameKey) as? String ?? "none",
            amount: Self.integer(account, "amount"), noteSize: size,
            tags: Set(Self.serials((account.value(forKey: "tags") as? NSSet)?.allObjects)),
            entries: Self.serials((account.value(forKey: "entries") as? NSOrderedSet)?.array))
    }

    private func checkLevel(_ account: NSManagedObject, _ serial: Int64) throws {
        guard opening.model == .second else { return }
        let isMigrated = VictimRequest.templateSerials.contains(serial)
        let expected = isMigrated ? opening.migratedLevel : LedgerModel.level
        let level = Self.integer(account, "level")
        guard level != expected else { return }
        throw Damage(
            description: "account \(serial) has the new value \(level), expected \(expected)")
    }

    private static func serials(_ members: [Any]?) -> [Int64] {
        (members ?? []).compactMap { $0 as? NSManagedObject }.map { integer($0, "serial") }
    }

    private func checkInverses(_ ledger: Ledger) throws {
        for tag in try all("Tag") {
            let serial = Self.integer(tag, "serial")
            let own = Set(Self.serials((tag.value(forKey: "accounts") as? NSSet)?.allObjects))
            let others = Set(ledger.accounts.filter { $0.value.tags.contains(serial) }.keys)
            guard own == others else {
                throw Damage(
                    description: "tag \(serial) has the accounts \(own.sorted()),"
                        + " but those that have the tag are \(others.sorted())")
            }
        }
        for entry in try all("Entry") {
            let serial = Self.integer(entry, "serial")
            let owner = (entry.value(forKey: "account") as? NSManagedObject)
                .map { Self.integer($0, "serial") }
            let others = ledger.accounts.filter { $0.value.entries.contains(serial) }.keys
            guard others.count <= 1, owner == others.first else {
                throw Damage(
                    description: "entry \(serial) has the account \(owner.map(String.init) ?? "-"),"
                        + " but the accounts \(others.sorted()) contain it")
            }
        }
    }
}

/// The journal mode of a victim's store, and its `synchronous` setting.
enum JournalSetting: String, Codable, Sendable, CaseIterable {
    case walNormal = "wal-normal"
    case walFull = "wal-full"
    case deleteNormal = "delete-normal"
    case deleteFull = "delete-full"
    case deleteExtra = "delete-extra"

    var pragmas: [String: String] {
        let words = rawValue.split(separator: "-").map(String.init)
        return ["journal_mode": words[0], "synchronous": words[1]]
    }
}
