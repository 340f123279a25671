import CoreData

/// Cases in which several sessions read, decide and write concurrently.
extension CatalogueCase {
    static let races: [CatalogueCase] = [
        tour, writeSkew, phantom, readSkew, dirtyRead, intermediateRead, belowAParent,
        threeSiblings,
        bareDuplicate, poisoned, keptCount, fetchThenInsert, loser,
    ]

    private static let tour = CatalogueCase("tour-two-sessions", CatalogueModels.account) { play in
        _ = try play.rows { [$0.insert("Account", ["name": "savings", "balance": 10])] }
        func sell(_ name: String, _ step: String, _ amount: Int) {
            let context = play.context(play.policy)
            var account: NSManagedObject?
            var before = 0
            play.session(
                name, context,
                [
                    (
                        "\(step)1",
                        {
                            account = try context.all(
                                "Account", NSPredicate(format: "name == %@", "savings")
                            ).first
                        }
                    ),
                    ("\(step)2", { before = account?.integer("balance") ?? 0 }),
                    ("\(step)3", { account?.setValue(before + amount, forKey: "balance") }),
                    ("\(step)4", { try context.save() }),
                ])
        }
        sell("deposit", "d", 5)
        sell("fee", "f", -1)
        play.observe([
            "balance": .read("Account", "balance"), "deposit": .status("d4"), "fee": .status("f4"),
        ])
    }

    private static let writeSkew = CatalogueCase(
        "locking/mb-16-write-skew", CatalogueModels.account
    ) { play in
        let rows = try play.accounts()
        func cover(_ name: String, _ step: String, _ own: Int, _ other: Int, _ amount: Int) {
            let context = play.context(play.policy)
            var (mine, theirs) = (0, 0)
            play.session(
                name, context,
                [
                    (
                        "\(step)1",
                        {
                            mine = context.object(with: rows[own]).integer("balance")
                            theirs = context.object(with: rows[other]).integer("balance")
                        }
                    ),
                    (
                        "\(step)2",
                        { context.set(["balance": mine - theirs - amount], of: rows[own]) }
                    ),
                    ("\(step)3", { try context.save() }),
                ])
        }
        cover("one", "o", 0, 1, 0)
        cover("two", "t", 1, 0, 15)
        play.observe([
            "sum": .sum("Account", "balance"), "one-save": .status("o3"),
            "two-save": .status("t3"),
        ])
    }

    private static let phantom = CatalogueCase("detectors/phantom", CatalogueModels.account) {
        play in
        _ = try play.accounts()
        let (a, b) = (play.context(.error), play.context(.error))
        play.session(
            "adding", a, [("a1", { a.insert("Account", ["name": "z"]) }), ("a2", { try a.save() })])
        func ask(_ name: String) throws {
            _ = try b.all("Account")
            play.note(
                name, try b.count(for: NSFetchRequest<NSManagedObject>(entityName: "Account")))
        }
        play.session(
            "listing", b, [("b1", { try ask("before") }), ("b2", { try ask("later") })])
        play.observe(["before": .value("before"), "later": .value("later")])
    }

    private static let readSkew = CatalogueCase("detectors/read-skew", CatalogueModels.account) {
        play in
        let rows = try play.accounts()
        let (a, b) = (play.context(.error), play.context(.error))
        play.session(
            "transfer", a,
            [
                (
                    "t1",
                    {
                        a.set(["balance": 5], of: rows[0])
                        a.set(["balance": 25], of: rows[1])
                    }
                ), ("t2", { try a.save() }),
            ])
        play.session(
            "report", b,
            [
                ("r1", { play.note("one", b.object(with: rows[0]).integer("balance")) }),
                ("r2", { play.note("two", b.object(with: rows[1]).integer("balance")) }),
            ])
        play.observe(["one": .value("one"), "two": .value("two")])
    }

    private static let dirtyRead = CatalogueCase("detectors/dirty-read", CatalogueModels.account) {
        play in
        let rows = try play.accounts()
        let main = play.stack.viewContext
        let child = play.child(of: main)
        play.session(
            "editor", main,
            [("m1", { main.set(["balance": 99], of: rows[0]) }), ("m2", { main.rollback() })])
        play.session(
            "report", child,
            [("c1", { play.note("seen", child.object(with: rows[0]).integer("balance")) })])
        play.observe(["seen": .value("seen")])
    }

    private static let intermediateRead = CatalogueCase(
        "detectors/intermediate-read", CatalogueModels.account
    ) { play in
        let rows = try play.accounts()
        let main = play.stack.viewContext
        let child = play.child(of: main)
        play.session(
            "editor", main,
            [
                ("m1", { main.set(["balance": 99], of: rows[0]) }),
                ("m2", { main.set(["balance": 20], of: rows[0]) }), ("m3", { try main.save() }),
            ])
        play.session(
            "report", child,
            [("c1", { play.note("seen", child.object(with: rows[0]).integer("balance")) })])
        play.observe(["seen": .value("seen")])
    }

    /// The main context merges the save of the sync by hand.
    private static let belowAParent = CatalogueCase(
        "detectors/lost-update-below-a-parent", CatalogueModels.account
    ) { play in
        let rows = try play.accounts()
        let (sync, main) = (play.context(.error), play.stack.viewContext)
        let child = play.child(of: main)
        let inbox = Inbox(of: sync)
        play.session(
            "editor", child,
            [("c1", { child.add(7, to: "balance", of: rows[0]) }), ("c2", { try child.save() })])
        play.session(
            "main", main, [("m1", { inbox.merge(into: main) }), ("m2", { try main.save() })])
        play.session(
            "sync", sync,
            [("b1", { sync.add(5, to: "balance", of: rows[0]) }), ("b2", { try sync.save() })])
        play.observe([
            "balance": .read("Account", "balance", NSPredicate(format: "name == 'x'")),
            "main-save": .status("m2"),
        ])
    }

    private static let threeSiblings = CatalogueCase(
        "locking/mb-12-three-siblings", CatalogueModels.printer
    ) { play in
        let rows = try play.rows { [$0.insert("Printer", ["name": "old"])] }
        let (view, one, two) = (
            play.stack.viewContext, play.context(play.policy), play.context(play.policy)
        )
        view.mergePolicy = play.policy
        view.automaticallyMergesChangesFromParent = true
        play.session(
            "settings", two,
            [("t1", { two.set(["sdSupport": true], of: rows[0]) }), ("t2", { try two.save() })])
        play.session(
            "sync", one,
            [
                ("y1", { one.set(["recordName": "record"], of: rows[0]) }),
                ("y2", { try one.save() }),
            ])
        play.session(
            "user", view,
            [
                ("u1", { view.set(["name": "new"], of: rows[0]) }),
                (
                    "u2",
                    {
                        if !play.isDone("y2") {
                            view.refresh(view.object(with: rows[0]), mergeChanges: false)
                        }
                    }
                ), ("u3", { try view.save() }),
            ])
        play.observe([
            "record": .read("Printer", "recordName"), "sd": .read("Printer", "sdSupport"),
            "name": .read("Printer", "name"), "settings-save": .status("t2"),
            "sync-save": .status("y2"), "user-save": .status("u3"),
        ])
    }

    private static let one = UUID(uuidString: "00000000-0000-0000-0000-000000000001") ?? UUID()

    private static let bareDuplicate = CatalogueCase(
        "unique/mb-19-bare-duplicate", CatalogueModels.session
    ) { play in
        let (filler, racer) = (play.context(play.policy), play.context(play.policy))
        play.session(
            "filler", filler,
            [
                ("f1", { filler.insert("Session", ["id": one, "app": "1.2.3", "os": "26"]) }),
                ("f2", { try filler.save() }),
            ])
        play.session(
            "racer", racer,
            [("r1", { racer.insert("Session", ["id": one]) }), ("r2", { try racer.save() })])
        play.observe([
            "rows": .count("Session"), "app": .read("Session", "app"), "os": .read("Session", "os"),
            "filler-save": .status("f2"), "racer-save": .status("r2"),
        ])
    }

    private static let poisoned = CatalogueCase(
        "unique/mb-17-poisoned-context", CatalogueModels.event
    ) { play in
        let rows = try play.rows { [$0.insert("Account", ["name": "x", "balance": 10])] }
        let (sync, view) = (play.context(play.policy), play.stack.viewContext)
        view.mergePolicy = play.policy
        play.session(
            "sync", sync,
            [
                ("b1", { sync.insert("Event", ["id": one, "note": "sync"]) }),
                ("b2", { try sync.save() }),
            ])
        play.session(
            "user", view,
            [
                ("v1", { view.insert("Event", ["id": one, "note": "user"]) }),
                ("v2", { try view.save() }), ("v3", { view.set(["balance": 20], of: rows[0]) }),
                ("v4", { try view.save() }),
            ])
        play.observe([
            "balance": .read("Account", "balance"), "events": .count("Event"),
            "sync-save": .status("b2"), "duplicate-save": .status("v2"),
            "later-save": .status("v4"),
        ])
    }

    private static let keptCount = CatalogueCase(
        "policies/mb-09-denormalised-count", CatalogueModels.country
    ) { play in
        let rows = try play.rows { context in
            let country = context.insert("Country", ["name": "Iceland", "moodCount": 1])
            context.insert("Mood", ["note": "calm", "country": country])
            return [country]
        }
        func add(_ name: String, _ step: String, _ note: String) {
            let context = play.context(play.policy)
            // The session keeps the objects, as a screen does.
            var shown: NSManagedObject?
            play.session(
                name, context,
                [
                    (
                        "\(step)1",
                        {
                            shown = context.object(with: rows[0])
                            _ = shown?.value(forKey: "moodCount")
                        }
                    ),
                    (
                        "\(step)2",
                        {
                            let country = context.object(with: rows[0])
                            context.insert("Mood", ["note": note, "country": country])
                            country.setValue(country.integer("moodCount") + 1, forKey: "moodCount")
                        }
                    ), ("\(step)3", { try context.save() }),
                ])
        }
        add("first", "f", "glad")
        add("second", "s", "grey")
        play.observe([
            "count": .read("Country", "moodCount"), "moods": .count("Mood"),
            "linked": .read("Country", "moods"), "first-save": .status("f3"),
            "second-save": .status("s3"),
        ])
    }

    private static let fetchThenInsert = CatalogueCase(
        "unique/mb-23-fetch-then-insert", CatalogueModels.item
    ) { play in
        func importItem(_ name: String, _ step: String) {
            let context = play.context(play.policy)
            var found: [NSManagedObject] = []
            play.session(
                name, context,
                [
                    (
                        "\(step)1",
                        { found = try context.all("Item", NSPredicate(format: "id == 7")) }
                    ),
                    (
                        "\(step)2",
                        { if found.isEmpty { context.insert("Item", ["id": 7, "title": name]) } }
                    ), ("\(step)3", { try context.save() }),
                ])
        }
        importItem("first", "f")
        importItem("second", "s")
        play.observe([
            "rows": .count("Item", NSPredicate(format: "id == 7")), "first-save": .status("f3"),
            "second-save": .status("s3"),
        ])
    }

    private static let loser = CatalogueCase(
        "unique/loser-that-is-still-named", CatalogueModels.author
    ) { play in
        func importBook(_ name: String, _ step: String, _ title: String) {
            let context = play.context(.mergeByPropertyStoreTrump)
            play.session(
                name, context,
                [
                    (
                        "\(step)1",
                        {
                            let author = context.insert("Author", ["name": "x"])
                            context.insert("Book", ["title": title, "author": author])
                        }
                    ), ("\(step)2", { try context.save() }),
                ])
        }
        importBook("one", "i", "b1")
        importBook("two", "j", "b2")
        play.observe([
            "authors": .count("Author"),
            "kept": .count("Book", NSPredicate(format: "author.name == 'x'")),
        ])
    }
}

/// The saves of another context that have not been merged yet. An observer collects them, as in an
/// app.
///
/// `@unchecked Sendable` because the lab runs one thread at a time.
final class Inbox: @unchecked Sendable {
    private var notes: [Notification] = []
    private var observer: (any NSObjectProtocol)?

    init(of context: NSManagedObjectContext) {
        observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { [weak self] note in
            // `@unchecked Sendable` because the block runs while the notification is posted.
            nonisolated(unsafe) let note = note
            self?.notes.append(note)
        }
    }

    deinit { observer.map { NotificationCenter.default.removeObserver($0) } }

    func merge(into context: NSManagedObjectContext) {
        for note in notes { context.mergeChanges(fromContextDidSave: note) }
        notes = []
    }
}
