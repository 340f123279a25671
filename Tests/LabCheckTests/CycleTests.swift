import ContextHistory
import LabCheck
import TestSupport
import Testing

/// The anomalies that contexts can show, written as histories, and histories without anomalies.
@Suite struct CycleTests {
    private let a3 = ObjectName(alias: "a3", entity: 0)

    private func cycles(_ bench: Bench) -> [Cycle] { Cycle.all(in: bench.history) }

    private func titles(_ bench: Bench) -> [String] { cycles(bench).map(\.title) }

    // MARK: Anomalies

    @Test func `two saves of which each keeps one row of the other one are a dirty write`() {
        var bench = Bench([a1: 10, a2: 20])
        for context in ["A", "B"] {
            bench.set(context, a1, to: 1)
            bench.set(context, a2, to: 2)
        }
        bench.save("A")
        bench.save("B") { $0 == a1 ? .object : .store }
        #expect(titles(bench) == [])
        // Different values, so that the second save drops one of them.
        bench = Bench([a1: 10, a2: 20])
        bench.set("A", a1, to: 11)
        bench.set("A", a2, to: 12)
        bench.set("B", a1, to: 21)
        bench.set("B", a2, to: 22)
        bench.save("A")
        bench.save("B") { $0 == a1 ? .object : .store }
        #expect(
            titles(bench) == [
                "dirty write (G0): A's save in A.5 → B's save in B.6 → A's save in A.5"
            ])
        #expect(
            cycles(bench)[0].links == [
                "A's save in A.5 wrote a1.balance at version 2, and B's save in B.6 replaced it"
                    + " with version 3",
                "B's save in B.6 did not write its value of a2.balance, because version 2 of"
                    + " A's save in A.5 was newer",
            ])
    }

    @Test func `reads of unsaved values that are dropped or replaced are G1a and G1b`() {
        var bench = Bench(parents: ["C": "M"], [a1: 10])
        bench.set("M", to: 99)
        bench.read("C")
        bench.rollBack("M")
        #expect(titles(bench) == ["dirty read (G1a): M's reads in M.1 → C's reads in C.2"])
        bench = Bench(parents: ["C": "M"], [a1: 10])
        bench.set("M", to: 99)
        bench.read("C")
        bench.set("M", to: 20)
        bench.save("M")
        #expect(titles(bench) == ["intermediate read (G1b): M's save in M.4 → C's reads in C.2"])
    }

    @Test func `two contexts that read each other's unsaved values are G1c`() {
        var bench = Bench(parents: ["C": "M"], [a1: 10, a2: 20])
        bench.set("M", a1, to: 11)
        bench.read("C", a1)
        bench.set("C", a2, to: 22)
        bench.save("C")
        bench.read("M", a2)
        bench.save("M")
        #expect(cycles(bench).map(\.adya) == ["G1c"])
        #expect(
            cycles(bench)[0].links == [
                "M's save in M.6 set a1.balance, and C's save in C.4 is based on the unsaved value",
                "C's save in C.4 set a2.balance, and M's save in M.6 is based on the unsaved value",
            ])
    }

    @Test func `a value that is computed from a replaced value is a lost update`() {
        var bench = Bench([a1: 10])
        bench.read("A")
        bench.read("B")
        bench.set("A", to: 15)
        bench.set("B", to: 17)
        bench.save("A")
        bench.save("B")
        #expect(
            cycles(bench).map(\.lines) == [
                [
                    "lost update (G-single): B's save in B.6 → A's save in A.5 → B's save in B.6",
                    "  B's save in B.6 is based on a1.balance at version 1, and A's save in A.5"
                        + " replaced it with version 2",
                    "  A's save in A.5 wrote a1.balance at version 2, and B's save in B.6 replaced"
                        + " it with version 3",
                ]
            ])
    }

    @Test func `a dropped value is lost if the winner was computed from the old value`() {
        for isComputed in [true, false] {
            var bench = Bench([a1: 10])
            if isComputed { bench.read("A") }
            bench.read("B")
            bench.set("A", to: 15)
            bench.set("B", to: 17)
            bench.save("A")
            bench.save("B") { _ in .store }
            #expect(cycles(bench).map(\.name) == (isComputed ? ["lost update"] : []))
        }
    }

    @Test func `an equal value that was computed from a replaced value is also lost`() {
        var bench = Bench([a1: 10])
        for context in ["A", "B"] {
            bench.read(context)
            bench.set(context, to: 11, from: [(a1, "balance")])
        }
        bench.save("A")
        bench.save("B")
        #expect(cycles(bench).map(\.name) == ["lost update"])
    }

    @Test func `values from before and after one save are read skew`() {
        var bench = Bench([a1: 10, a2: 20])
        bench.read("R", a1)
        bench.set("A", a1, to: 5)
        bench.set("A", a2, to: 25)
        bench.save("A")
        bench.read("R", a2)
        #expect(cycles(bench).map(\.name) == ["read skew"])
        // Hermitage's "observed transaction vanishes": B replaces both values between the reads.
        bench = Bench([a1: 10, a2: 20])
        bench.set("A", a1, to: 5)
        bench.set("A", a2, to: 25)
        bench.save("A")
        bench.read("R", a1)
        bench.set("B", a1, to: 6)
        bench.set("B", a2, to: 26)
        bench.save("B")
        bench.read("R", a2)
        #expect(cycles(bench).map(\.adya) == ["G-single"])
    }

    @Test func `a search that misses a row of which another property is read is G-single`() {
        var bench = Bench([a1: 10, a2: 20])
        bench.fetch("R", "Account where balance = 30") { $0 == 30 }
        bench.insert("A", a3, 30)
        bench.set("A", a1, to: 11)
        bench.save("A")
        bench.read("R", a1)
        bench.fetch("R", "Account where balance = 30") { $0 == 30 }
        #expect(cycles(bench).map(\.name) == ["read skew"])
        #expect(cycles(bench).map(\.adya) == ["G-single"])
    }

    @Test func `two saves that each rely on a row that the other one changes are write skew`() {
        var bench = Bench([a1: 30, a2: 20])
        for context in ["A", "B"] {
            bench.read(context, a1)
            bench.read(context, a2)
        }
        bench.set("A", a1, to: 11)
        bench.set("B", a2, to: 21)
        bench.save("A")
        bench.save("B")
        #expect(cycles(bench).map(\.name) == ["write skew"])
        #expect(cycles(bench).map(\.adya) == ["G2-item"])
    }

    @Test func `two searches that each miss the row of the other save are G2`() {
        var bench = Bench()
        bench.fetch("A", "Account where balance % 3 = 0") { $0 % 3 == 0 }
        bench.fetch("B", "Account where balance % 3 = 0") { $0 % 3 == 0 }
        bench.insert("A", a1, 30)
        bench.insert("B", a2, 42)
        bench.save("A")
        bench.save("B")
        bench.fetch("R", "Account where balance % 3 = 0") { $0 % 3 == 0 }
        #expect(cycles(bench).map(\.adya) == ["G2"])
    }

    @Test func `a report can see an order that the two writers exclude`() {
        // Fekete, O'Neil and O'Neil: the two writers without the report have a serial order.
        var bench = Bench([a1: 0, a2: 0])
        bench.read("W", a1)
        bench.read("W", a2)
        bench.read("D", a2)
        bench.set("D", a2, to: 20)
        bench.save("D")
        bench.read("R", a1)
        bench.read("R", a2)
        bench.set("W", a1, to: -11)
        bench.save("W")
        #expect(cycles(bench).map(\.name) == ["circle of stale reads"])
        #expect(cycles(bench)[0].units.count == 3)
    }

    // MARK: No anomalies

    @Test func `contexts that read again before they save have no cycle`() {
        var bench = Bench([a1: 10])
        bench.read("A")
        bench.read("B")
        bench.set("A", to: 15)
        bench.save("A")
        bench.refresh("B")
        bench.set("B", to: bench.read("B") + 7, from: [(a1, "balance")])
        bench.save("B")
        #expect(titles(bench) == [])
    }

    @Test func `saves of different properties of one row have no cycle`() {
        var bench = Bench([a1: 10])
        bench.read("A", a1, "name")
        bench.read("B", a1, "balance")
        bench.set("A", a1, "name", to: 1)
        bench.set("B", a1, "balance", to: 2)
        bench.save("A")
        bench.save("B")
        #expect(titles(bench) == [])
    }

    @Test func `1,000 random serial histories have no cycle, and a planted one is found`() {
        var dice = SeededGenerator(seed: 43)
        var planted = 0
        for _ in 0..<1_000 {
            let bench = serial(&dice)
            let graph = DependencyGraph(bench.history)
            #expect(graph.cycles().isEmpty && graph.unsavedReads.isEmpty)
            guard let edge = graph.dependencies.randomElement(using: &dice) else { continue }
            planted += 1
            let reverse = Dependency(
                kind: .readWrite, from: edge.to, to: edge.from, item: "a planted one")
            let wrong = DependencyGraph(
                units: graph.units, dependencies: graph.dependencies + [reverse])
            #expect(!wrong.cycles().isEmpty)
        }
        #expect(planted > 500)
    }

    /// A history of sessions that run one after another, each with fresh reads. Some sessions work
    /// in a child context, and some drop their changes.
    private func serial(_ dice: inout SeededGenerator) -> Bench {
        let names = (1...4).map { ObjectName(alias: "a\($0)", entity: 0) }
        var bench = Bench(
            parents: ["child": "main"],
            Dictionary(uniqueKeysWithValues: names.prefix(3).map { ($0, 10) }))
        var inserted = 0
        for _ in 0..<Int.random(in: 2...8, using: &dice) {
            let context = ["main", "child", "till", "desk"].randomElement(using: &dice) ?? "main"
            bench.refresh(context)
            for _ in 0..<Int.random(in: 1...5, using: &dice) {
                let object = names[Int.random(in: 0..<3, using: &dice)]
                let key = Bool.random(using: &dice) ? "name" : "balance"
                switch Int.random(in: 0..<5, using: &dice) {
                case 0: bench.read(context, object, key)
                case 1: bench.set(context, object, key, to: .random(in: 0..<5, using: &dice))
                case 2:
                    let value = bench.read(context, object, key) + 1
                    bench.set(context, object, key, to: value, from: [(object, key)])
                case 3: bench.fetch(context)
                default:
                    if context == "child" { continue }
                    inserted += 1
                    bench.insert(context, ObjectName(alias: "new\(inserted)", entity: 0), 7)
                }
            }
            if Int.random(in: 0..<5, using: &dice) == 0 {
                bench.rollBack(context)
                continue
            }
            bench.save(context)
            if context == "child" { bench.save("main") }
        }
        return bench
    }
}
