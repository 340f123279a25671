import CoreData

/// The kind of work that a victim process does.
package enum VictimKind: String, Codable, Sendable, CaseIterable {
    case saves, history, batches, metadata, creation, replacement, copy, vacuum, destruction, xml
    case binary, document
    case externalValues = "external-values"
    case externalReplacement = "external-replacement"
    case externalCopy = "external-copy"
    case externalDestruction = "external-destruction"
    case fileMetadata = "file-metadata"
    case inPlaceMigration = "in-place-migration"
    case mappedMigration = "mapped-migration"
    case deferredMigration = "deferred-migration"
    case stagedMigration = "staged-migration"

    var storeType: String {
        switch self {
        case .xml: NSXMLStoreType
        case .binary: NSBinaryStoreType
        default: NSSQLiteStoreType
        }
    }

    var isSQLite: Bool { storeType == NSSQLiteStoreType }

    /// Whether most notes are so large that the store keeps them in external files.
    var hasExternalNotes: Bool {
        switch self {
        case .externalValues, .externalReplacement, .externalCopy, .externalDestruction: true
        default: false
        }
    }

    /// The kind that does the same work on a store without external files.
    var withoutExternalNotes: VictimKind {
        switch self {
        case .externalReplacement: .replacement
        case .externalCopy: .copy
        case .externalDestruction: .destruction
        default: self
        }
    }

    /// Whether the store exists before the victim begins.
    var needsTemplate: Bool {
        switch self {
        case .history, .creation, .xml, .binary, .document, .externalValues: false
        default: true
        }
    }

    var isMigration: Bool {
        switch self {
        case .inPlaceMigration, .mappedMigration, .deferredMigration, .stagedMigration: true
        default: false
        }
    }

    /// The number of initial steps. They do the special work of the kind, such as a migration.
    var initialSteps: Int {
        switch withoutExternalNotes {
        case .saves, .history, .batches, .metadata, .creation, .xml, .binary, .fileMetadata,
            .externalValues, .externalReplacement, .externalCopy, .externalDestruction:
            0
        case .deferredMigration: 2
        case .inPlaceMigration, .mappedMigration, .stagedMigration, .replacement, .copy, .vacuum,
            .destruction, .document:
            1
        }
    }

    /// The number of steps after the initial steps. Each of them changes the ledger and saves.
    var steps: Int {
        switch withoutExternalNotes {
        case .saves, .history, .externalValues, .externalReplacement, .externalCopy,
            .externalDestruction:
            24
        case .batches, .metadata, .fileMetadata, .xml, .binary, .document: 16
        case .creation, .vacuum, .destruction, .replacement: 4
        case .inPlaceMigration, .mappedMigration, .deferredMigration, .stagedMigration: 3
        case .copy: 0
        }
    }

    var style: LedgerScript.Style {
        switch self {
        case .batches: .batches
        case .metadata: .metadata
        case .fileMetadata: .marks
        default: .graphs
        }
    }

    var journals: [JournalSetting] {
        isSQLite ? [.walNormal, .walFull, .deleteNormal, .deleteFull] : [.walNormal]
    }

    /// The names of the files and folders that a folder may contain after the run, apart from
    /// SQLite's `-wal` and `-shm` files.
    var names: Set<String> {
        var names: Set<String> = [StoreName.own]
        switch withoutExternalNotes {
        case .replacement: names.insert(StoreName.other)
        case .copy: names.insert(StoreName.copy)
        default: break
        }
        return hasExternalNotes ? names.union(names.map(StoreName.support)) : names
    }
}

/// The names of the files in a victim's folder.
enum StoreName {
    static let own = "s.store"
    static let other = "other.store"
    static let copy = "copy.store"

    /// The hidden folder with a store's external files.
    static func support(_ name: String) -> String {
        ".\(name.dropLast(".store".count))_SUPPORT"
    }
}

/// A deliberate fault in a victim. The verification must find it.
package enum PlantedFault: String, Codable, Sendable {
    /// Saves are acknowledged before they are done.
    case acknowledgesEarly
    /// Every third save is acknowledged and never done.
    case forgetsSaves
    /// A step is split into two saves.
    case splitsSaves
    /// A save that failed is acknowledged.
    case swallowsErrors
    /// An error ends the process.
    case traps
    /// Nothing is synced, regardless of the journal's setting.
    case syncsNothing
    /// Counters are written without checking for changes by other processes.
    case overwritesCounters
}
