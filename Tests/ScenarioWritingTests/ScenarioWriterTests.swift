import LabResults
import ScenarioWriting
import Testing

/// Recorded operations become a scenario that the lab can read. It must have the recorded outcome.
@Suite struct ScenarioWriterTests {
    @Test(arguments: ValueSecrecy.allCases)
    func `a conflict and the program's reaction to it are reproduced`(
        _ secrecy: ValueSecrecy
    ) throws {
        let file = ScenarioWriter(Runs.tills(), values: secrecy).file()
        let result = try Explored.result(of: file)
        #expect(Explored.recorded(result) > 0)
        #expect(try Explored.warnings(of: file).isEmpty)
        #expect(file.text.contains("unless right_2 refresh account1 keep"))
        #expect(file.unsaid.isEmpty)
    }

    @Test func `an addition to a value that was read is an addition in every order`() throws {
        let text = ScenarioWriter(Runs.tills()).file().text
        #expect(text.contains("set account1.balance += 5"))
        #expect(text.contains("insert Account as account1 with balance = 1000"))
    }

    @Test func `a value that was set without a read stays a literal`() {
        let row = Runs.account
        let run = Runs.run(
            [RecordedContext("a"), RecordedContext("b")],
            [
                (0, .set(row, key: "balance", .integer(5), old: .integer(1))),
                (1, .set(row, key: "balance", .integer(6), old: .integer(1))),
            ] + Runs.saved(0) + Runs.saved(1))
        #expect(ScenarioWriter(run).file().text.contains("set account1.balance = 5"))
    }

    // MARK: Find or create

    private func imports(_ predicate: RecordedPredicate?, findFirst: Bool) -> RecordedRun {
        let query = RecordedQuery("Item", where: predicate)
        let (first, second) = (RecordedObject("Item", 1), RecordedObject("Item", 2))
        let looks: [(Int, RecordedAction)] = [
            (0, .fetch(query, found: [], count: 0)),
            (1, .fetch(query, found: findFirst ? [first] : [], count: findFirst ? 1 : 0)),
        ]
        let makes: [(Int, RecordedAction)] =
            [(0, .insert(first)), (0, .set(first, key: "code", .text("it's \"a\""), old: nil))]
            + Runs.saved(0)
        let others: [(Int, RecordedAction)] =
            [(1, .insert(second)), (1, .set(second, key: "code", .text("it's \"a\""), old: nil))]
            + Runs.saved(1)
        return Runs.run(
            [RecordedContext("push"), RecordedContext("pull")],
            findFirst ? [looks[0]] + makes + [looks[1]] : looks + makes + others)
    }

    @Test(arguments: ["==", "IN"])
    func `a find-or-create that found nothing creates nothing if the object exists`(
        _ comparison: String
    ) throws {
        let run = imports(
            .compare("code", comparison, [.text("it's \"a\"")]), findFirst: false)
        let file = ScenarioWriter(run).file()
        let result = try Explored.result(of: file)
        #expect(Explored.recorded(result) > 0)
        #expect(result.outcomes.contains { $0.grade == .acceptable })
        #expect(result.findings.contains { $0.name == "unique race" })
        #expect(try Explored.warnings(of: file).isEmpty)
    }

    @Test func `a predicate that cannot be written is reported and counted`() {
        let run = imports(.text(""), findFirst: false)
        let file = ScenarioWriter(run).file()
        #expect(file.unsaid.count == 2)
        #expect(file.text.contains("# 2 operations cannot be expressed in a scenario:"))
        #expect(file.text.contains("# - push: a predicate of a fetch of Item"))
    }

    @Test func `a property whose type a scenario does not support is reported once`() {
        let row = Runs.account
        let run = Runs.run(
            [RecordedContext("a")],
            [
                (0, .read(row, key: "colour", .lost("a colour"))),
                (0, .read(row, key: "colour", .lost("a colour"))),
                (0, .set(row, key: "balance", .integer(2), old: .integer(1))),
            ] + Runs.saved(0))
        #expect(ScenarioWriter(run).file().unsaid.count == 1)
    }

    // MARK: Counts

    @Test(arguments: [ValueSecrecy.full, .hashed])
    func `a stored count of members is counted again in every order`(
        _ secrecy: ValueSecrecy
    ) throws {
        let shelf = RecordedObject("Shelf", 1)
        func adds(_ context: Int, _ book: RecordedObject) -> [(Int, RecordedAction)] {
            [
                (context, .lookUp(shelf)), (context, .insert(book)),
                (context, .set(book, key: "shelf", .object(shelf), old: nil)),
                (context, .beginSave(.objectTrump)),
                (context, .readMembers(shelf, key: "books", [book], count: 1)),
                (context, .set(shelf, key: "count", .integer(1), old: .integer(0))),
            ]
        }
        let ends: (Int) -> [(Int, RecordedAction)] = {
            [($0, .commit([])), ($0, .endSave(error: nil))]
        }
        let run = Runs.run(
            [
                RecordedContext("desk", policy: .objectTrump),
                RecordedContext("scanner", policy: .objectTrump),
            ],
            adds(0, RecordedObject("Book", 1)) + adds(1, RecordedObject("Book", 2)) + ends(0)
                + ends(1))
        let file = ScenarioWriter(run, values: secrecy).file()
        let result = try Explored.result(of: file)
        #expect(Explored.recorded(result) > 0)
        #expect(result.outcomes.contains { $0.grade == .acceptable })
        #expect(try Explored.warnings(of: file).isEmpty)
    }

    // MARK: Queues that wait for each other

    @Test func `saves and blocks that wait for each other are a deadlock`() throws {
        let row = Runs.account
        let run = Runs.run(
            [RecordedContext("screen", isMain: true), RecordedContext("sync")],
            [
                (1, .set(row, key: "balance", .integer(2), old: .integer(1))),
                (0, .wait(1, on: 1)), (1, .beginSave(.error)), (1, .commit([])),
                (1, .wait(2, on: 0)),
            ])
        let file = ScenarioWriter(run).file()
        let result = try Explored.result(of: file)
        #expect(Explored.recorded(result) > 0)
        #expect(result.outcomes.allSatisfy { $0.grade != .unmatched })
        #expect(result.findings.contains { $0.name == "deadlock" })
        #expect(file.text.contains("waits-on-save: [block2]"))
    }

    @Test func `a block that merges after each save becomes an observer`() throws {
        let row = Runs.account
        let run = Runs.run(
            [RecordedContext("screen", isMain: true), RecordedContext("sync")],
            [
                (0, .read(row, key: "balance", .integer(1))),
                (1, .set(row, key: "balance", .integer(2), old: .integer(1))),
                (1, .beginSave(.error)), (1, .commit([])), (1, .enqueue(9, on: 0)),
                (1, .endSave(error: nil)), (0, .beginBlock(9)),
                (0, .merge(from: 1, isAutomatic: false)), (0, .endBlock(9)),
            ])
        let file = ScenarioWriter(run).file()
        #expect(file.text.contains("on-save: [block1]"))
        #expect(file.text.contains("do: 'merge next from sync'"))
        #expect(Explored.recorded(try Explored.result(of: file)) > 0)
    }

    // MARK: What matters

    @Test func `a context that only created rows at the start becomes the setup`() throws {
        let row = Runs.account
        var made = Runs.tills()
        made.contexts.append(RecordedContext("first"))
        made.operations.insert(
            contentsOf: ([
                (2, .insert(row)), (2, .set(row, key: "balance", .integer(1000), old: nil)),
                (2, .set(row, key: "name", .text("x"), old: nil)),
            ] + Runs.saved(2)).map { RecordedOperation($0.0, $0.1) }, at: 0)
        let file = ScenarioWriter(made).file()
        #expect(!file.text.contains("first:"))
        #expect(file.text.contains("insert Account as account1 with balance = 1000'"))
        #expect(Explored.recorded(try Explored.result(of: file)) > 0)
    }

    @Test func `of a long run only the rows that several contexts use are kept`() throws {
        var run = Runs.tills()
        for number in 100..<1000 {
            let item = RecordedObject("Item", Int64(number))
            run.operations.insert(
                RecordedOperation(0, .set(item, key: "code", .text("n"), old: .null)), at: 4)
        }
        let file = ScenarioWriter(run).file()
        #expect(file.steps < 20)
        #expect(file.remarks.contains { $0.hasPrefix("900 operations") })
        #expect(file.text.contains("900 operations on objects that no other context"))
        #expect(Explored.recorded(try Explored.result(of: file)) > 0)
        #expect(file.transcript.count > 900)
    }

    @Test func `a parent precedes its child and its rows are saved through it`() throws {
        let row = Runs.account
        let run = Runs.run(
            [RecordedContext("sheet", parent: 1), RecordedContext("screen", isMain: true)],
            [
                (0, .read(row, key: "balance", .integer(1))),
                (0, .set(row, key: "balance", .integer(2), old: .integer(1))),
            ] + Runs.saved(0) + Runs.saved(1))
        let file = ScenarioWriter(run).file()
        let result = try Explored.result(of: file)
        #expect(Explored.recorded(result) > 0)
        #expect(file.text.contains("sheet: {parent: screen}"))
    }

    @Test func `a part of a composite attribute in a batch is reported instead of written`() {
        let entity = RecordedEntity(
            "Shop",
            attributes: [
                RecordedAttribute("code", .string), RecordedAttribute("place.number", .integer64),
            ])
        let row: [String: RecordedValue] = ["code": .text("a"), "place.number": .integer(3)]
        let run = RecordedRun(
            name: "recorded", reason: "A test asked for it.", entities: [entity],
            contexts: [RecordedContext("one")],
            operations: [RecordedOperation(0, .batch(.insert("Shop", [row], count: 1)))])
        let file = ScenarioWriter(run).file()
        #expect(file.text.contains("batch-insert Shop with code = \"a\"'"))
        #expect(!file.text.contains("place.number ="))
        #expect(file.unsaid.contains { $0.contains("Shop.place.number") })
    }
}
