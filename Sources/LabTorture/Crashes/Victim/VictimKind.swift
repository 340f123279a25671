import CoreData

/// One kind of writing.
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

    /// Whether most notes are so large that they live in files beside the store.
    var hasExternalNotes: Bool {
        switch self {
        case .externalValues, .externalReplacement, .externalCopy, .externalDestruction: true
        default: false
        }
    }

    /// The same work on a store whose values are all in its rows.
    var withoutExternalNotes: VictimKind {
        switch self {
        case .externalReplacement: .replacement
        case .externalCopy: .copy
        case .externalDestruction: .destruction
        default: self
        }
    }

    /// Whether the store is there before the victim begins.
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

    /// How many steps come first that are no changes of the ledger but the kind's own work.
    var deeds: Int {
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

    /// How many changes of the ledger follow, one save each.
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

    /// The settings that make a difference to this kind.
    var journals: [JournalSetting] {
        isSQLite ? [.walNormal, .walFull, .deleteNormal, .deleteFull] : [.walNormal]
    }

    /// The names that a folder may have when all is done, beside SQLite's `-wal` and `-shm`.
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

/// What the files in a victim's folder are called.
enum StoreName {
    static let own = "s.store"
    static let other = "other.store"
    static let copy = "copy.store"

    /// What belongs to a store beside its file.
    static func support(_ name: String) -> String {
        ".\(name.dropLast(".store".count))_SUPPORT"
    }
}

/// A fault of the victim's own, which an oracle must notice.
package enum PlantedFault: String, Codable, Sendable {
    /// Saves are acknowledged before they are done.
    case acknowledgesEarly
    /// Every third save is acknowledged and never done.
    case forgetsSaves
    /// One step is two saves.
    case splitsSaves
    /// A save that failed is acknowledged.
    case swallowsErrors
    /// An error ends the process.
    case traps
    /// Nothing is synced, whatever the journal's setting says.
    case syncsNothing
    /// Counters are written without looking whether somebody else did.
    case overwritesCounters
}
