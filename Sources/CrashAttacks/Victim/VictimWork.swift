import CoreData
import Foundation

/// Executes the request of a victim process that creates the initial stores or writes a store.
struct VictimWork {
    /// The maximum number of attempts to open a store, or to execute an initial step.
    private static let openingsMax = 3
    /// The number of steps after which a store is closed and opened again.
    private static let stepsOfOpening = 5

    let request: VictimRequest

    init(_ request: VictimRequest) { self.request = request }

    private var kind: VictimKind { request.kind }

    private func path(_ name: String) -> String { request.folder + "/" + name }
    private var url: URL { URL(fileURLWithPath: path(StoreName.own)) }

    func opening(
        _ name: String = StoreName.own, _ model: LedgerModel = .first,
        _ options: [AnyHashable: Any] = [:]
    ) -> LedgerStore.Opening {
        var opening = LedgerStore.Opening(
            path: path(name), model: model, type: kind.storeType, journal: request.journal,
            options: options)
        opening.hasExternalNotes = kind.hasExternalNotes
        if kind == .mappedMigration || kind == .stagedMigration {
            opening.migratedLevel = LedgerModel.mappedLevel
        }
        if kind == .history { opening.options[NSPersistentHistoryTrackingKey] = true as NSNumber }
        return opening
    }

    // MARK: Preparing

    /// Creates the initial stores of all kinds with this journal.
    func prepare() throws {
        for (name, script) in [
            (StoreName.own, request.template), (StoreName.other, request.otherTemplate),
        ] {
            let store = try LedgerStore(opening(name))
            var ledger = Ledger()
            for number in script.numbers {
                let edits = script.edits(number, on: ledger)
                try store.perform(edits, name: "template")
                ledger.apply(edits)
            }
            try store.close()
        }
    }

    // MARK: Writing

    func write() throws {
        if kind == .document {
            return try DocumentWork.drained { try await DocumentWork(work: self).write() }
        }
        for number in 0..<kind.initialSteps {
            guard try attempt(number, { try initialStep(number) }) else { return }
        }
        if kind == .fileMetadata { try mark() } else if kind.steps > 0 { try takeSteps() }
        VictimVoice.finished()
    }

    /// Executes an initial step, and tries again after a failure.
    private func attempt(_ number: Int, _ body: () throws -> Void) throws -> Bool {
        for _ in 0..<Self.openingsMax {
            if request.plant == .acknowledgesEarly { VictimVoice.done(number) }
            VictimVoice.begin(number)
            do {
                try body()
                VictimVoice.done(number)
                return true
            } catch {
                try reportFailure(number, error)
            }
        }
        return false
    }

    private func reportFailure(_ number: Int, _ error: any Error) throws {
        if request.plant == .traps { abort() }
        if request.plant == .swallowsErrors, number >= 0 { return VictimVoice.done(number) }
        VictimVoice.failed(number, error)
    }

    private func initialStep(_ number: Int) throws {
        switch kind.withoutExternalNotes {
        case .inPlaceMigration, .mappedMigration, .stagedMigration:
            try LedgerStore(opening(StoreName.own, .second, migration)).close()
        case .deferredMigration:
            let store = try LedgerStore(opening(StoreName.own, .second, migration))
            if number == 1 { try store.coordinator.finishDeferredLightweightMigration() }
            try store.close()
        case .vacuum:
            let options: [AnyHashable: Any] = [NSSQLiteManualVacuumOption: true as NSNumber]
            try LedgerStore(opening(StoreName.own, .first, options)).close()
        case .replacement:
            try coordinator.replacePersistentStore(
                at: url, withPersistentStoreFrom: URL(fileURLWithPath: path(StoreName.other)),
                ofType: kind.storeType)
        case .destruction:
            try coordinator.destroyPersistentStore(at: url, ofType: kind.storeType)
        case .copy: try copy()
        default: break
        }
    }

    private var coordinator: NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: LedgerModel.first.make())
    }

    private var migration: [AnyHashable: Any] { Self.migration(kind) }

    /// The options with which a victim of this kind opens a store, so that the store is migrated.
    static func migration(_ kind: VictimKind) -> [AnyHashable: Any] {
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true as NSNumber,
            NSInferMappingModelAutomaticallyOption: true as NSNumber,
        ]
        if kind == .deferredMigration {
            options[NSPersistentStoreDeferredLightweightMigrationOptionKey] = true as NSNumber
        }
        if kind == .stagedMigration {
            let (old, new) = (LedgerModel.first.make(), LedgerModel.second.make())
            let stage = NSCustomMigrationStage(
                migratingFrom: NSManagedObjectModelReference(
                    model: old, versionChecksum: old.versionChecksum),
                to: NSManagedObjectModelReference(
                    model: new, versionChecksum: new.versionChecksum))
            stage.didMigrateHandler = { manager, _ in try raiseLevels(manager) }
            options[NSPersistentStoreStagedMigrationManagerOptionKey] =
                NSStagedMigrationManager([stage])
        }
        return options
    }

    /// The handler of the migration stage. The verification accepts a migrated store only if this
    /// handler has run.
    private static func raiseLevels(_ manager: NSStagedMigrationManager) throws {
        guard let context = manager.container?.newBackgroundContext() else { return }
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
            for account in try context.fetch(request) {
                account.setValue(LedgerModel.mappedLevel, forKey: "level")
            }
            try context.save()
        }
    }

    func copy() throws {
        let source = try LedgerStore(opening())
        defer { try? source.close() }
        _ = try source.coordinator.migratePersistentStore(
            source.store, to: URL(fileURLWithPath: path(StoreName.copy)),
            options: [NSSQLitePragmasOption: request.journal.pragmas], withType: kind.storeType)
    }

    /// Changes the metadata of a closed store.
    private func mark() throws {
        for number in request.script.numbers {
            let edits = request.script.edits(number, on: Ledger())
            guard case .mark(let mark)? = edits.first else { continue }
            VictimVoice.begin(number)
            do {
                try NSPersistentStoreCoordinator.setMetadata(
                    [LedgerStore.markKey: NSNumber(value: mark)],
                    forPersistentStoreOfType: kind.storeType, at: url)
                VictimVoice.done(number)
            } catch {
                try reportFailure(number, error)
            }
        }
    }

    // MARK: Steps

    private func takeSteps() throws {
        var ledger = Verification.start(request)
        var store = try openStore()
        for number in request.script.numbers {
            if number % Self.stepsOfOpening == Self.stepsOfOpening - 1, let open = store {
                try open.close()
                store = try openStore()
            }
            guard let open = store else { return }
            let edits = request.script.edits(number, on: ledger)
            if take(number, edits, open) { ledger.apply(edits) }
        }
        try store?.close()
    }

    /// Opens the store, and tries again after a failure.
    private func openStore() throws -> LedgerStore? {
        var opening = opening(StoreName.own, kind.isMigration ? .second : .first)
        if request.plant == .syncsNothing { opening.isUnsynced = true }
        for _ in 0..<Self.openingsMax {
            do { return try LedgerStore(opening) } catch { try reportFailure(-1, error) }
        }
        return nil
    }

    private func take(_ number: Int, _ edits: [Ledger.Edit], _ store: LedgerStore) -> Bool {
        if request.plant == .acknowledgesEarly { VictimVoice.done(number) }
        VictimVoice.begin(number)
        do {
            switch request.plant {
            case .forgetsSaves where number % 3 == 2: break
            case .splitsSaves:
                let half = edits.count / 2
                try store.perform(Array(edits[..<half]), name: "step \(number)")
                try store.perform(Array(edits[half...]), name: "step \(number)")
            default: try store.perform(edits, name: "step \(number)")
            }
            VictimVoice.done(number)
            return true
        } catch {
            try? reportFailure(number, error)
            return false
        }
    }
}
