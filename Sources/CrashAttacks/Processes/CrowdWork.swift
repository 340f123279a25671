import CoreData
import Foundation
import Glibc

/// The task of one process of a crowd (a group of processes that use the same store).
struct CrowdRole: Codable, Sendable {
    enum Task: String, Codable, Sendable, CaseIterable {
        /// Creates the store, unless another process was faster, and adds an object.
        case create
        /// Migrates the store in place, unless another process was faster, and adds an object.
        case migrate
        /// Migrates the store by a mapping model, unless another process was faster, and adds an
        /// object.
        case map
        /// Increments counters, adds objects, closes and opens the store; some processes also read
        /// metadata or make backups.
        case write
        /// Verifies the result of all processes.
        case check
    }

    var task: Task
    var member: Int
    /// The changes that a checking process must find in addition to the initial content. `added`
    /// has the serial numbers of added tags, and `counted` the number of increments of each
    /// counter.
    var added: [Int64] = []
    var counted: [Int64: Int64] = [:]

    /// The kind of victim whose stores and options the task uses.
    static func kind(_ task: Task) -> VictimKind {
        switch task {
        case .create: .creation
        case .migrate: .inPlaceMigration
        case .map: .mappedMigration
        case .write, .check: .saves
        }
    }
}

/// The work of one process of a crowd. After each successful save, the process prints `added
/// SERIAL` or `counted SERIAL`.
struct CrowdWork {
    private static let rounds = 24
    private static let triesMax = 400
    private static let counters = 4
    /// The number of rounds after which the store is closed and opened again. Some processes do
    /// this after each round. The last connection to the file is then often closed.
    private var roundsOfOpening: Int { role.member % 4 == 0 ? 1 : 8 }

    private let request: VictimRequest
    private let role: CrowdRole
    private let work: VictimWork

    init(_ request: VictimRequest, _ role: CrowdRole) {
        self.request = request
        self.role = role
        work = VictimWork(request)
    }

    func run() throws {
        if role.task == .check { return try check() }
        waitForAll()
        do {
            switch role.task {
            case .create, .migrate, .map: try open { try add(0, $0) }
            case .write, .check: try write()
            }
            VictimVoice.finished()
        } catch {
            VictimVoice.failed(role.member, error)
        }
    }

    /// Reports that this process is ready, and waits for the others. The parent closes its end of
    /// the pipe when all processes are ready.
    private func waitForAll() {
        var byte: UInt8 = 1
        _ = Glibc.write(3, &byte, 1)
        while read(0, &byte, 1) > 0 {}
    }

    private var isMigration: Bool { request.kind.isMigration }

    private func open(_ body: (LedgerStore) throws -> Void) throws {
        let options = isMigration ? VictimWork.migration(request.kind) : [:]
        let store = try LedgerStore(
            work.opening(StoreName.own, isMigration ? .second : .first, options))
        do { try body(store) } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }

    private func add(_ number: Int, _ store: LedgerStore) throws {
        let serial = Self.serial(role.member, number)
        try store.perform([.addTag(serial, label: Self.label(serial))], name: "crowd")
        VictimVoice.say("added \(serial)")
    }

    private static func serial(_ member: Int, _ number: Int) -> Int64 {
        Int64(member + 1) * 10_000 + Int64(number)
    }

    static func label(_ serial: Int64) -> String { "of the crowd \(serial)" }

    // MARK: Writing

    private func write() throws {
        let accounts = Verification.start(request).accounts.keys.sorted().prefix(Self.counters)
        for first in stride(from: 0, to: Self.rounds, by: roundsOfOpening) {
            try open { store in
                for number in first..<first + roundsOfOpening {
                    let place = (number + role.member) % accounts.count
                    try count(accounts[accounts.startIndex + place], store)
                    if number % 3 == 0 { try add(number, store) }
                    try doOtherThings(number)
                }
            }
        }
    }

    /// Increments a counter that other processes also increment. After a conflict, tries again.
    private func count(_ account: Int64, _ store: LedgerStore) throws {
        for attempt in 1...Self.triesMax {
            do {
                store.context.performAndWait {
                    store.context.reset()
                    if request.plant == .overwritesCounters {
                        store.context.mergePolicy = NSMergePolicy.overwrite
                    }
                }
                try store.perform([.pay(account: account, amount: 1)], name: "crowd")
                return VictimVoice.say("counted \(account)")
            } catch  where (error as NSError).code == NSManagedObjectMergeError {
                if attempt == Self.triesMax { throw error }
            }
        }
    }

    /// Performs an operation that must not disturb the saves of this process or of the others.
    private func doOtherThings(_ number: Int) throws {
        let url = URL(fileURLWithPath: request.folder + "/" + StoreName.own)
        switch role.member % 4 {
        case 1:
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url)
        case 2 where number % 4 == 0:
            let second = try LedgerStore(work.opening())
            _ = try second.read()
            try second.close()
        case 3 where number % 4 == 0:
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: LedgerModel.first.make())
            let backup = request.folder + "/" + Self.backup(role.member)
            try coordinator.replacePersistentStore(
                at: URL(fileURLWithPath: backup), withPersistentStoreFrom: url,
                ofType: NSSQLiteStoreType)
        default: break
        }
    }

    private static func backup(_ member: Int) -> String { "backup-\(member).store" }

    // MARK: Checking

    private func check() throws {
        VictimVoice.say("case 0")
        do {
            try checkStore()
            try checkBackups()
            VictimVoice.say("fine 0 \(role.added.count)")
        } catch {
            let text = error is Verification.Finding ? "\(error)" : Verification.text(error)
            VictimVoice.say("wrong 0 \(text.replacingOccurrences(of: "\n", with: " "))")
        }
    }

    private func checkStore() throws {
        var expected = request.kind == .creation ? Ledger() : Verification.start(request)
        for serial in role.added { expected.tags[serial] = Self.label(serial) }
        for (serial, number) in role.counted { expected.accounts[serial]?.amount += number }
        let store = try LedgerStore(
            work.opening(StoreName.own, isMigration && !role.added.isEmpty ? .second : .first))
        defer { try? store.close() }
        if let difference = try store.read().difference(from: expected) {
            throw Verification.Finding(difference)
        }
        try work.look(at: request.folder + "/" + StoreName.own, kind: request.kind)
    }

    /// Checks that the folder contains only complete backups. A backup may have been made at any
    /// moment.
    private func checkBackups() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: request.folder)
        for name in names.sorted() {
            if name.hasPrefix(StoreName.own) { continue }
            guard name.hasPrefix("backup-") else {
                throw Verification.Finding("left over: \(name)")
            }
            guard name.hasSuffix(".store") else { continue }
            do {
                let store = try LedgerStore(work.opening(name))
                _ = try store.read()
                try store.close()
            } catch {
                throw Verification.Finding("the backup \(name): \(Verification.text(error))")
            }
            try work.look(at: request.folder + "/" + name, kind: request.kind)
        }
    }
}
