import CoreData

/// The results of policies after two contexts have changed one row.
extension CatalogueCase {
    static let conflicts: [CatalogueCase] = [
        card("both-changed", looks: ["both": .read("Card", "both"), "second-save": .status("b2")]),
        card(
            "nobody-changed", looks: ["rest": .read("Card", "rest"), "second-save": .status("b2")]),
        card(
            "only-object-changed",
            looks: ["home": .read("Card", "home"), "second-save": .status("b2")]),
        card(
            "only-store-changed",
            looks: ["name": .read("Card", "name"), "second-save": .status("b2")]),
        card(
            "deletion-meets-update", second: delete,
            looks: [
                "rows": .count("Card"), "both": .read("Card", "both"), "second-save": .status("b2"),
            ]),
        card(
            "deletion-meets-deletion", first: { $0.delete($0.object(with: $1[0])) },
            second: delete, looks: ["rows": .count("Card"), "second-save": .status("b2")]),
        othersAreSaved, toOne, members, ghost, inverse,
    ]

    @Sendable private static func delete(
        _ context: NSManagedObjectContext, _ rows: [NSManagedObjectID]
    ) throws {
        let card = context.object(with: rows[0])
        _ = card.value(forKey: "both")
        context.delete(card)
    }

    @Sendable private static func editOfA(
        _ context: NSManagedObjectContext, _ rows: [NSManagedObjectID]
    ) throws {
        context.set(["name": "A", "both": "A"], of: rows[0])
    }

    @Sendable private static func editOfB(
        _ context: NSManagedObjectContext, _ rows: [NSManagedObjectID]
    ) throws {
        context.set(["home": "B", "both": "B"], of: rows[0])
    }

    /// Two contexts edit the same card.
    private static func card(
        _ name: String,
        first: @escaping @Sendable (NSManagedObjectContext, [NSManagedObjectID]) throws -> Void =
            editOfA,
        second: @escaping @Sendable (NSManagedObjectContext, [NSManagedObjectID]) throws -> Void =
            editOfB,
        looks: KeyValuePairs<String, Play.Look>
    ) -> CatalogueCase {
        CatalogueCase("policies/\(name)", CatalogueModels.card) { play in
            let rows = try play.rows { context in
                let old = ["name", "home", "both", "rest"].map { ($0, "old") }
                return [context.insert("Card", Dictionary(uniqueKeysWithValues: old))]
            }
            let (a, b) = (play.context(.error), play.context(play.policy))
            play.session("first", a, [("a1", { try first(a, rows) }), ("a2", { try a.save() })])
            play.session(
                "second", b,
                [
                    ("b1", { try second(b, rows) }), ("b2", { try b.save() }),
                    (
                        "b3",
                        {
                            _ = try b.count(
                                for: NSFetchRequest<NSManagedObject>(entityName: "Card"))
                        }
                    ),
                ])
            play.observe(looks)
        }
    }

    private static let othersAreSaved = CatalogueCase(
        "policies/others-are-saved", CatalogueModels.card
    ) { play in
        let rows = try play.rows { context in
            let old = ["name", "home", "both", "rest"].map { ($0, "old") }
            return [
                context.insert("Card", Dictionary(uniqueKeysWithValues: old)),
                context.insert("Card", ["name": "y", "home": "old"]),
            ]
        }
        let (a, b) = (play.context(.error), play.context(play.policy))
        play.session(
            "first", a,
            [("a1", { a.set(["name": "A", "both": "A"], of: rows[0]) }), ("a2", { try a.save() })])
        play.session(
            "second", b,
            [
                (
                    "b1",
                    {
                        b.set(["both": "B"], of: rows[0])
                        b.set(["home": "B"], of: rows[1])
                    }
                ), ("b2", { try b.save() }),
                (
                    "b3",
                    { _ = try b.count(for: NSFetchRequest<NSManagedObject>(entityName: "Card")) }
                ),
            ])
        play.observe([
            "other": .read("Card", "home", NSPredicate(format: "name == 'y'")),
            "second-save": .status("b2"),
        ])
    }

    private static let toOne = CatalogueCase("policies/to-one-both-changed", CatalogueModels.owned)
    {
        play in
        let rows = try play.rows { context in
            [
                context.insert("Person", ["name": "p"]), context.insert("Person", ["name": "q"]),
                context.insert("Card", ["name": "x"]),
            ]
        }
        func give(_ person: Int, _ context: NSManagedObjectContext) {
            context.object(with: rows[2]).setValue(
                context.object(with: rows[person]), forKey: "owner")
        }
        let (a, b) = (play.context(.error), play.context(play.policy))
        play.session("first", a, [("a1", { give(0, a) }), ("a2", { try a.save() })])
        play.session("second", b, [("b1", { give(1, b) }), ("b2", { try b.save() })])
        play.observe(["owner": .read("Card", "owner.name"), "second-save": .status("b2")])
    }

    private static let members = CatalogueCase("policies/members-are-added", CatalogueModels.list) {
        play in
        let rows = try play.rows { [$0.insert("List", ["name": "l"])] }
        func add(_ name: String, _ context: NSManagedObjectContext) {
            let item = context.insert("Item", ["name": name])
            context.object(with: rows[0]).mutableSetValue(forKey: "items").add(item)
        }
        let (a, b) = (play.context(.error), play.context(play.policy))
        play.session("first", a, [("a1", { add("A", a) }), ("a2", { try a.save() })])
        play.session("second", b, [("b1", { add("B", b) }), ("b2", { try b.save() })])
        play.observe(["members": .read("List", "items"), "second-save": .status("b2")])
    }

    private static let ghost = CatalogueCase("detectors/ghost-update", CatalogueModels.account) {
        play in
        let rows = try play.accounts()
        let (a, b) = (play.context(.error), play.context(.mergeByPropertyStoreTrump))
        play.session(
            "cleaner", a, [("c1", { a.delete(a.object(with: rows[0])) }), ("c2", { try a.save() })])
        play.session(
            "editor", b,
            [("b1", { b.set(["name": "edited"], of: rows[0]) }), ("b2", { try b.save() })])
        play.observe(["saving": .status("b2"), "rows": .count("Account")])
    }

    private static let inverse = CatalogueCase("detectors/broken-inverse", CatalogueModels.desk) {
        play in
        let rows = try play.rows { context in
            [
                context.insert("Person", ["name": "Ann"]),
                context.insert("Person", ["name": "Bob"]),
                context.insert("Desk", ["name": "window"]),
            ]
        }
        func give(_ person: Int, _ context: NSManagedObjectContext) {
            context.object(with: rows[person]).setValue(
                context.object(with: rows[2]), forKey: "desk")
        }
        let (a, b) = (play.context(.error), play.context(.mergeByPropertyObjectTrump))
        play.session("first", a, [("a1", { give(0, a) }), ("a2", { try a.save() })])
        play.session("second", b, [("b1", { give(1, b) }), ("b2", { try b.save() })])
        play.observe(["person": .read("Desk", "person"), "saving": .status("b2")])
    }
}

extension Play {
    func accounts() throws -> [NSManagedObjectID] {
        try rows { context in
            [
                context.insert("Account", ["name": "x", "balance": 10]),
                context.insert("Account", ["name": "y", "balance": 20]),
            ]
        }
    }
}
