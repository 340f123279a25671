import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import LabFiles
import Synchronization

/// The differences between two versions of a model, and the statements of an inferred migration.
/// The command `model --compare` prints them.
///
/// To find the statements, an empty store of the old version is migrated in a temporary folder.
package struct ModelComparison {
    private let old: NSManagedObjectModel
    private let new: NSManagedObjectModel

    /// Reads two model files of any format.
    ///
    /// - Throws: the reasons why one of the files cannot be read, with their positions.
    package init(path: String, with other: String) throws(InputErrors) {
        old = try ModelSource.model(at: path)
        new = try ModelSource.model(at: other)
    }

    /// Whether a migration can be inferred.
    package private(set) var isInferable = true

    package mutating func text() throws -> String {
        var lines = differences()
        if lines.isEmpty { lines = ["the models have the same entities and properties"] }
        if old.entityVersionHashesByName == new.entityVersionHashesByName {
            lines.append("a store of one version opens with the other without a migration")
            return lines.joined(separator: "\n") + "\n"
        }
        if let hint = hint() { lines.append(hint) }
        do {
            let statements = try statements()
            lines.append("an inferred migration runs \(statements.count) statements:")
            lines += statements.map { "  " + $0 }
        } catch let error as CoreDataError {
            isInferable = false
            lines.append("no migration can be inferred: \(error.message)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Differences

    private func differences() -> [String] {
        let (before, after) = (old.entitiesByName, new.entitiesByName)
        var lines: [String] = []
        var known: Set<String> = []
        for (name, entity) in after.sorted(by: { $0.key < $1.key }) {
            let former = entity.renamingIdentifier.flatMap { before[$0] } ?? before[name]
            guard let former else {
                lines.append("+ \(name)")
                continue
            }
            known.insert(former.name ?? "")
            if former.name != name { lines.append("~ \(former.name ?? "") is now \(name)") }
            lines += Self.differences(of: former, to: entity)
        }
        lines += before.keys.sorted().filter { !known.contains($0) }.map { "- \($0)" }
        return lines
    }

    private static func differences(
        of old: NSEntityDescription, to new: NSEntityDescription
    ) -> [String] {
        let name = new.name ?? ""
        let before = Dictionary(uniqueKeysWithValues: old.ownProperties.map { ($0.name, $0) })
        var lines: [String] = []
        var known: Set<String> = []
        for property in new.ownProperties.sorted(by: { $0.name < $1.name }) {
            let former = property.renamingIdentifier.flatMap { before[$0] } ?? before[property.name]
            guard let former else {
                lines.append("+ \(name).\(property.name): \(ModelDescriber.describe(property))")
                continue
            }
            known.insert(former.name)
            let texts = [former, property].map { ModelDescriber.describe($0) }
            if former.name != property.name || texts[0] != texts[1] {
                lines.append("~ \(name).\(former.name): \(texts[0])")
                lines.append("  \(name).\(property.name): \(texts[1])")
            }
        }
        return lines
            + before.keys.sorted().filter { !known.contains($0) }.map { "- \(name).\($0)" }
    }

    // MARK: Migration

    /// A warning if the folder of the new model lacks the old version, which some migrations need;
    /// otherwise nil.
    private func hint() -> String? {
        guard let folder = new.versionsFolder,
            VersionSearch(hashes: old.entityVersionHashesByName).model(in: folder) == nil
        else { return nil }
        return "\(folder.lastPathComponent) does not contain the older version: add it, or a"
            + " migration that drops a property or an entity fails with error 134130"
    }

    private func statements() throws -> [String] {
        new.knownVersions = [old]
        let scratch = try TemporaryFolder("compare")
        defer { scratch.remove() }
        let url = URL(fileURLWithPath: scratch.path + "/store.sqlite")
        let source = try NSPersistentStoreCoordinator.make(model: old)
        let store = try source.add(
            type: NSSQLiteStoreType, configuration: nil, url: url, options: nil)
        try source.remove(store)
        let log = StatementTexts()
        let destination = try NSPersistentStoreCoordinator.make(model: new)
        destination.trace.add(log)
        let made = try EngineLog.capture({ _ in }) {
            try destination.add(
                type: NSSQLiteStoreType, configuration: nil, url: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ])
        }
        let changes = log.changes
        try destination.remove(made)
        return changes
    }
}

/// Records every statement; `changes` selects those that change the schema or the contents.
private final class StatementTexts: EventSink {
    private let texts = Mutex<[String]>([])
    private static let prefixes = ["CREATE", "DROP", "ALTER", "INSERT", "UPDATE", "DELETE"]

    func record(_ event: Event) {
        guard case .statement(let statement) = event else { return }
        texts.withLock { $0.append(statement.sql) }
    }

    var changes: [String] {
        texts.withLock { texts in
            texts.filter { text in Self.prefixes.contains { text.hasPrefix($0) } }
        }
    }
}
