import CoreData
import Foundation
import LabRunner
import Testing

/// Findings of the detectors in ordinary code without expectations, each with its cure.
@Suite struct FindingsInCodeTests {
    @Test(arguments: FindingCase.all)
    func `a detector reports the bug, and not its cure`(_ example: FindingCase) throws {
        let failure = #expect(throws: CodeFailure.self) { try example.explore(isCured: false) }
        let reasons = try #require(failure).reasons
        #expect(reasons.contains { $0.hasPrefix(example.finding) }, "\(reasons)")
        let report = try example.explore(isCured: true)
        #expect(report.isComplete)
        #expect(report.findings[example.finding] == nil)
    }

    @Test func `findings that fail no schedule are in the report`() throws {
        let report = try Lab.explore("told", .unhurried()) { lab in
            let stack = try lab.stack(model: Shop.model)
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = stack.viewContext
            lab.session("editor", on: child) { child in
                child.insert("Account", ["balance": 1])
                try child.save()
            }
        }
        #expect(report.findings == ["half-way save": 1])
        #expect(report.description.contains("half-way save in 1"))
    }

    @Test func `a loss fails code without expectations, with the locations of both saves`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("nothing expected", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                for name in ["till", "desk"] {
                    let context = stack.newBackgroundContext()
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    lab.session(name) { try Shop.add(5, to: id, in: context) }
                }
            }
        }
        let found = try #require(failure)
        #expect(found.reasons.count == 1)
        #expect(found.reasons[0].hasPrefix("lost update: "))
        #expect(found.reasons[0].contains("15"))
        #expect(found.switches <= 3)
    }
}

/// A bug that a detector finds, and its cure.
struct FindingCase: Sendable, CustomStringConvertible {
    let finding: String
    let model: NSManagedObjectModel
    let code: @Sendable (Play, _ isCured: Bool) throws -> Void

    init(
        _ finding: String, _ model: NSManagedObjectModel = CatalogueModels.account,
        _ code: @escaping @Sendable (Play, Bool) throws -> Void
    ) {
        self.finding = finding
        self.model = model
        self.code = code
    }

    var description: String { finding }

    func explore(isCured: Bool) throws -> CodeReport {
        var options = Lab.Options.unhurried(limit: 20_000, grain: .blocks)
        options.fails = .named([finding])
        return try Lab.explore(finding, options) { lab in
            try code(try Play(lab, model, .error), isCured)
        }
    }

    static let all: [FindingCase] = [
        lostUpdate, lostProperty, blanked, ghost, resurrected, dangling, inverse, uniqueRace,
        writeSkew, readSkew, phantom, staleRead, readYourWrites, poisoned, lateMerge,
        duplicatedMerge, noConvergence, halfWay, dirtyRead, intermediateRead,
    ]

    // MARK: Saves that lose

    private static let lostUpdate = FindingCase("lost update") { play, isCured in
        let rows = try play.accounts()
        for name in ["a", "b"] {
            let context = play.context(isCured ? .error : .overwrite)
            play.session(
                name, context,
                [
                    ("\(name)1", { context.add(1, to: "balance", of: rows[0]) }),
                    ("\(name)2", { try context.save() }),
                ])
        }
    }

    private static let lostProperty = FindingCase("lost property") { play, isCured in
        let rows = try play.accounts()
        let policy: NSMergePolicy = isCured ? .mergeByPropertyObjectTrump : .overwrite
        for (name, key, value) in [("a", "name", "new" as Any), ("b", "balance", 5)] {
            let context = play.context(policy)
            // `@unchecked Sendable` because it is immutable.
            nonisolated(unsafe) let value = value
            play.session(
                name, context,
                [
                    ("\(name)1", { context.set([key: value], of: rows[0]) }),
                    ("\(name)2", { try context.save() }),
                ])
        }
    }

    private static let blanked = FindingCase("blanked by trump", CatalogueModels.session) {
        play, isCured in
        let id = UUID(uuidString: "00000000-0000-0000-0000-000000000001") ?? UUID()
        for (name, isBare) in [("filler", false), ("racer", true)] {
            let context = play.context(.mergeByPropertyObjectTrump)
            let values: [String: Any] = isBare && !isCured ? [:] : ["app": "1", "os": "2"]
            // `@unchecked Sendable` because it is immutable.
            nonisolated(unsafe) let all = values.merging(["id": id]) { one, _ in one }
            play.session(
                name, context,
                [
                    ("\(name)1", { context.insert("Session", all) }),
                    ("\(name)2", { try context.save() }),
                ])
        }
    }

    private static let ghost = FindingCase("ghost update") { play, isCured in
        let rows = try play.accounts()
        deleteBeside(play, rows, isCured ? .error : .mergeByPropertyStoreTrump)
    }

    private static let resurrected = FindingCase("resurrected delete") { play, isCured in
        let rows = try play.accounts()
        deleteBeside(play, rows, isCured ? .error : .overwrite)
    }

    private static func deleteBeside(
        _ play: Play, _ rows: [NSManagedObjectID], _ policy: NSMergePolicy
    ) {
        let (a, b) = (play.context(.error), play.context(policy))
        play.session(
            "cleaner", a, [("c1", { a.delete(a.object(with: rows[0])) }), ("c2", { try a.save() })])
        play.session(
            "editor", b,
            [("e1", { b.set(["name": "new"], of: rows[0]) }), ("e2", { try b.save() })])
    }

    private static let dangling = FindingCase("dangling relationship", CatalogueModels.owned) {
        play, isCured in
        let rows = try play.rows {
            [$0.insert("Person", ["name": "p"]), $0.insert("Card", ["name": "x"])]
        }
        let (a, b) = (play.context(isCured ? .error : .overwrite), play.context(.error))
        play.session(
            "cleaner", a,
            [
                (
                    "c1",
                    {
                        a.delete(a.object(with: rows[0]))
                        a.processPendingChanges()
                    }
                ), ("c2", { try a.save() }),
            ])
        play.session(
            "editor", b,
            [
                (
                    "e1",
                    {
                        // `object(with:)` returns a fault even if the row is deleted;
                        // `existingObject(with:)` throws.
                        let owner =
                            try isCured ? b.existingObject(with: rows[0]) : b.object(with: rows[0])
                        b.object(with: rows[1]).setValue(owner, forKey: "owner")
                    }
                ), ("e2", { try b.save() }),
            ])
    }

    private static let inverse = FindingCase("broken inverse", CatalogueModels.desk) {
        play, isCured in
        let rows = try play.rows { context in
            ["Ann", "Bob"].map { context.insert("Person", ["name": $0]) }
                + [context.insert("Desk", ["name": "window"])]
        }
        for (number, name) in ["ann", "bob"].enumerated() {
            let context = play.context(isCured ? .error : .mergeByPropertyObjectTrump)
            play.session(
                name, context,
                [
                    (
                        "\(name)1",
                        {
                            context.object(with: rows[number]).setValue(
                                context.object(with: rows[2]), forKey: "desk")
                        }
                    ), ("\(name)2", { try context.save() }),
                ])
        }
    }

    // MARK: Reads that decide

    private static let uniqueRace = FindingCase("unique race", CatalogueModels.item) {
        play, isCured in
        let shared = play.context(.error)
        for name in ["a", "b"] {
            let context = isCured ? shared : play.context(.error)
            play.session(
                name, context,
                [
                    (
                        "\(name)1",
                        {
                            let found = try context.all("Item", NSPredicate(format: "id == 7"))
                            if found.isEmpty { context.insert("Item", ["id": 7]) }
                        }
                    ), ("\(name)2", { try context.save() }),
                ])
        }
    }

    private static let writeSkew = FindingCase("write skew") { play, isCured in
        let rows = try play.accounts()
        for (own, name) in ["a", "b"].enumerated() {
            let context = play.context(.error)
            var other = 0
            play.session(
                name, context,
                [
                    (
                        "\(name)1",
                        {
                            let read = context.object(with: rows[1 - own])
                            other = read.integer("balance")
                            if isCured { context.detectConflicts(for: read) }
                        }
                    ), ("\(name)2", { context.set(["balance": -other], of: rows[own]) }),
                    ("\(name)3", { try context.save() }),
                ])
        }
    }

    private static let readSkew = FindingCase("read skew") { play, isCured in
        let rows = try play.accounts()
        let (a, b) = (play.context(.error), play.context(.error))
        play.session(
            "transfer", a,
            [
                (
                    "t1",
                    {
                        a.add(-5, to: "balance", of: rows[0])
                        a.add(5, to: "balance", of: rows[1])
                    }
                ), ("t2", { try a.save() }),
            ])
        var held: [NSManagedObject] = []
        play.session(
            "report", b,
            [
                (
                    "r0",
                    {
                        guard isCured else { return }
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
                        request.returnsObjectsAsFaults = false
                        held = try b.fetch(request)
                    }
                ), ("r1", { _ = b.object(with: rows[0]).integer("balance") }),
                (
                    "r2",
                    {
                        _ = b.object(with: rows[1]).integer("balance")
                        held = []
                    }
                ),
            ])
        _ = held
    }

    private static let phantom = FindingCase("phantom") { play, isCured in
        _ = try play.accounts()
        let (a, b) = (play.context(.error), play.context(.error))
        play.session(
            "adding", a, [("a1", { a.insert("Account", ["name": "z"]) }), ("a2", { try a.save() })])
        play.session(
            "listing", b,
            [
                ("b1", { _ = try b.all("Account") }),
                ("b2", { if !isCured { _ = try b.all("Account") } }),
            ])
    }

    private static let staleRead = FindingCase("stale read") { play, isCured in
        let rows = try play.accounts()
        let (a, b) = (play.context(.error), play.context(.error))
        play.session(
            "sync", a,
            [("a1", { a.set(["balance": 20], of: rows[0]) }), ("a2", { try a.save() })])
        var held: NSManagedObject?
        play.session(
            "screen", b,
            [
                (
                    "b1",
                    {
                        held = b.object(with: rows[0])
                        _ = held?.integer("balance")
                    }
                ),
                (
                    "b2",
                    {
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
                        request.shouldRefreshRefetchedObjects = isCured
                        _ = try b.fetch(request)
                        _ = held?.integer("balance")
                    }
                ),
            ])
    }

    private static let readYourWrites = FindingCase("read your writes") { play, isCured in
        let rows = try play.accounts()
        let (sync, view) = (play.context(.error), play.stack.viewContext)
        var held: NSManagedObject?
        play.session(
            "screen", view,
            [
                (
                    "v1",
                    {
                        held = view.object(with: rows[0])
                        _ = held?.integer("balance")
                    }
                )
            ])
        play.session(
            "sync", sync,
            [
                ("s1", { sync.set(["balance": 20], of: rows[0]) }),
                (
                    "s2",
                    {
                        try sync.save()
                        view.perform {
                            let account = view.object(with: rows[0])
                            if isCured { view.refresh(account, mergeChanges: true) }
                            _ = account.integer("balance")
                        }
                    }
                ),
            ])
    }

    // MARK: Contexts

    private static let poisoned = FindingCase("poisoned context", CatalogueModels.event) {
        play, isCured in
        let id = UUID(uuidString: "00000000-0000-0000-0000-000000000001") ?? UUID()
        let rows = try play.rows { [$0.insert("Account", ["name": "x"])] }
        let (sync, view) = (play.context(.error), play.stack.viewContext)
        play.session(
            "sync", sync,
            [("b1", { sync.insert("Event", ["id": id]) }), ("b2", { try sync.save() })])
        play.session(
            "user", view,
            [
                ("v1", { view.insert("Event", ["id": id]) }),
                (
                    "v2",
                    {
                        do { try view.save() } catch {
                            if isCured { view.rollback() }
                            throw error
                        }
                    }
                ), ("v3", { view.set(["balance": 20], of: rows[0]) }), ("v4", { try view.save() }),
            ])
    }

    private static let lateMerge = FindingCase("late merge") { play, isCured in
        let rows = try play.accounts()
        let (sync, view) = (play.context(.error), play.stack.viewContext)
        let inbox = Inbox(of: sync)
        play.session(
            "sync", sync,
            [
                (
                    "s1",
                    {
                        sync.set(["balance": 20], of: rows[0])
                        try sync.save()
                    }
                ),
                (
                    "s2",
                    {
                        if isCured { return }
                        sync.delete(sync.object(with: rows[0]))
                        try sync.save()
                    }
                ),
            ])
        play.session("screen", view, [("v1", { inbox.merge(into: view) })])
    }

    private static let duplicatedMerge = FindingCase("duplicated merge") { play, isCured in
        let rows = try play.accounts()
        let (sync, view) = (play.context(.error), play.stack.viewContext)
        let inboxes = [Inbox(of: sync), Inbox(of: sync)]
        play.session(
            "sync", sync,
            [("s1", { sync.set(["balance": 20], of: rows[0]) }), ("s2", { try sync.save() })])
        play.session(
            "screen", view,
            [
                ("v1", { inboxes[0].merge(into: view) }),
                ("v2", { if !isCured { inboxes[1].merge(into: view) } }),
            ])
    }

    private static let noConvergence = FindingCase("no convergence") { play, isCured in
        let rows = try play.accounts()
        let (one, two, view) = (
            play.context(.error), play.context(.error), play.stack.viewContext
        )
        let inboxes = [Inbox(of: one), Inbox(of: two)]
        var held: [NSManagedObject] = []
        play.session(
            "one", one,
            [
                (
                    "o1",
                    {
                        one.set(["balance": 20], of: rows[0])
                        try one.save()
                    }
                )
            ])
        play.session(
            "two", two,
            [
                (
                    "t1",
                    {
                        two.set(["balance": 30], of: rows[1])
                        try two.save()
                    }
                )
            ])
        play.session(
            "screen", view,
            [
                (
                    "v1",
                    {
                        held = rows.map { view.object(with: $0) }
                        for account in held { _ = account.integer("balance") }
                    }
                ), ("v2", { inboxes[0].merge(into: view) }),
                ("v3", { if isCured { inboxes[1].merge(into: view) } }),
            ])
        if isCured {
            // With this setting, the context also merges the saves after the last manual merge.
            view.automaticallyMergesChangesFromParent = true
        }
        play.lab.finally { held = [] }
    }

    private static let halfWay = FindingCase("half-way save") { play, isCured in
        let main = play.stack.viewContext
        let child = play.child(of: main)
        play.session(
            "editor", child,
            [
                (
                    "c1",
                    {
                        child.insert("Account", ["name": "z"])
                        try child.save()
                    }
                ), ("c2", { if isCured { try main.performAndWait { try main.save() } } }),
            ])
    }

    private static let dirtyRead = FindingCase("dirty read") { play, isCured in
        let rows = try play.accounts()
        let main = play.stack.viewContext
        let reader = isCured ? play.context(.error) : play.child(of: main)
        play.session(
            "editor", main,
            [("m1", { main.set(["balance": 99], of: rows[0]) }), ("m2", { main.rollback() })])
        play.session(
            "report", reader, [("c1", { _ = reader.object(with: rows[0]).integer("balance") })])
    }

    private static let intermediateRead = FindingCase("intermediate read") { play, isCured in
        let rows = try play.accounts()
        let main = play.stack.viewContext
        let reader = isCured ? play.context(.error) : play.child(of: main)
        play.session(
            "editor", main,
            [
                ("m1", { main.set(["balance": 99], of: rows[0]) }),
                ("m2", { main.set(["balance": 20], of: rows[0]) }), ("m3", { try main.save() }),
            ])
        play.session(
            "report", reader, [("c1", { _ = reader.object(with: rows[0]).integer("balance") })])
    }
}
