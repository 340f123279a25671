import LabScenario

/// A statement in a generated scenario. The comment of each case is the statement.
enum FamilyStep: Sendable, Equatable {
    /// `read a.n -> x`.
    case read
    /// `set a.n = a.n + k`.
    case add(Int)
    /// `set a.n = x + k`.
    case addToRead(Int)
    /// `set b.n = a.n`.
    case copy
    /// `set a.n = b.n + k`.
    case addToCopy(Int)
    /// `set a.n = b.n + a.n`.
    case addOther
    /// `set a.n = k`.
    case give(Int)
    /// `set a.m = k`.
    case giveElsewhere(Int)
    /// `refresh a discard`.
    case discard
    /// A step that reads newer rows and keeps unsaved changes.
    case bring(String)

    func text(_ name: String) -> String {
        switch self {
        case .read: "read a.n -> \(name)"
        case .add(let amount): "set a.n = a.n + \(amount)"
        case .addToRead(let amount): "set a.n = \(name) + \(amount)"
        case .copy: "set b.n = a.n"
        case .addToCopy(let amount): "set a.n = b.n + \(amount)"
        case .addOther: "set a.n = b.n + a.n"
        case .give(let value): "set a.n = \(value)"
        case .giveElsewhere(let value): "set a.m = \(value)"
        case .discard: "refresh a discard"
        case .bring(let text): text
        }
    }
}

/// The stored values of the two rows that the generated scenarios use.
struct FamilyState: Hashable {
    var n = 10
    var m = 0
    var other = 20
}

/// One session of a scenario. Its statements are followed by a single save.
struct FamilySession: Sendable {
    var steps: [FamilyStep]

    /// Runs the session without other sessions.
    ///
    /// - Returns: the value that the session read before it set a literal value. Nil if it does not
    ///   set a literal value after a read.
    func run(on state: inout FamilyState) -> Int? {
        let start = state
        var read: Int?
        var decided: Int?
        for step in steps {
            switch step {
            case .read: read = state.n
            case .add(let amount): state.n += amount
            case .addToRead(let amount): state.n = (read ?? 0) + amount
            case .copy: state.other = state.n
            case .addToCopy(let amount): state.n = state.other + amount
            case .addOther: state.n += state.other
            case .give(let value):
                state.n = value
                decided = read
            case .giveElsewhere(let value): state.m = value
            case .discard:
                (state.n, state.m) = (start.n, start.m)
                decided = nil
            case .bring: break
            }
        }
        return decided
    }
}

/// The reads from which V computes its new value.
enum FamilyReading: String, CaseIterable, Sendable {
    case inOneStep, byName, byNameLater, readAgain, twice, throughAnother, rightHand, given
    case givenAfterReading, givenLater, elsewhere

    /// The statements of V before and after the step that reads newer rows.
    var steps: (before: [FamilyStep], after: [FamilyStep]) {
        switch self {
        case .inOneStep: ([.add(7)], [])
        case .byName: ([.read, .addToRead(7)], [])
        case .byNameLater: ([.read], [.addToRead(7)])
        case .readAgain: ([.read], [.add(7)])
        case .twice: ([.add(3)], [.add(4)])
        case .throughAnother: ([.copy], [.addToCopy(7)])
        case .rightHand: ([.addOther], [])
        case .given: ([.give(9)], [])
        case .givenAfterReading: ([.read, .give(9)], [])
        case .givenLater: ([.read], [.give(9)])
        case .elsewhere: ([.giveElsewhere(1)], [])
        }
    }
}

/// The step by which V receives the row of B while V has an unsaved change.
enum FamilyHiding: String, CaseIterable, Sendable {
    case nothing, merge, automerge, refresh, refreshAll, refetch, discard

    var step: FamilyStep? {
        switch self {
        case .nothing, .automerge: nil
        case .merge: .bring("merge all from B")
        case .refresh: .bring("refresh a keep")
        case .refreshAll: .bring("refresh-all")
        case .refetch: .bring("fetch Account refreshing")
        case .discard: .discard
        }
    }
}

enum FamilyTopology: String, CaseIterable, Sendable { case siblings, child, children }

/// The changes that B saves before V saves.
enum FamilyRival: String, CaseIterable, Sendable {
    case adds, addsTheSame, givesAfterReading, elsewhere

    var steps: [FamilyStep] {
        switch self {
        case .adds: [.add(5)]
        case .addsTheSame: [.add(7)]
        case .givesAfterReading: [.read, .give(15)]
        case .elsewhere: [.giveElsewhere(3)]
        }
    }
}

struct LostUpdateCase: Sendable {
    let reading: FamilyReading
    let hiding: FamilyHiding
    let topology: FamilyTopology
    let rival: FamilyRival
    let policy: String
    var mode = "inline"

    /// The session of V, with the step `hiding`, which can hide the lost update.
    var user: FamilySession {
        let (before, after) = reading.steps
        return FamilySession(steps: before + (hiding.step.map { [$0] } ?? []) + after)
    }

    var writer: FamilySession { FamilySession(steps: rival.steps) }

    /// Whether the detector must report a lost update. If both sessions set a property without
    /// reading it, no serial order shows which value is lost. A lost update is then reported only
    /// if one session saves late or has read the value of the other one.
    var isTold: Bool {
        switch reading {
        case .given:
            [.merge, .refresh, .refreshAll].contains(hiding) && rival != .elsewhere
        case .elsewhere: rival != .elsewhere
        default: true
        }
    }

    var yaml: String {
        let (before, after) = reading.steps
        let hide = hiding.step.map { ["hide: \($0.text("x"))"] } ?? []
        let user =
            ["v1: " + before.map { $0.text("x") }.joined(separator: "; ")] + hide
            + (after.isEmpty ? [] : ["v2: " + after.map { $0.text("x") }.joined(separator: "; ")])
            + ["saving: \(topology == .siblings ? "save" : "save-chain")"]
        let writer = [
            "b1: " + rival.steps.map { $0.text("y") }.joined(separator: "; "),
            "rival: \(topology == .children ? "save-chain" : "save")",
        ]
        let sessions =
            session("user", "V", user) + session("writer", "B", writer)
            + (topology == .child && hiding != .nothing && hiding != .automerge
                ? session("main", "M", ["m1: merge all from B"]) : "")
        return """
            name: family
            about: One of a family of scenarios.
            mode: \(mode)
            model:
              entities:
                Account: {attributes: {name: string, n: integer64, m: integer64}}
            contexts:
            \(contexts)
            setup:
              - insert Account as a with name = "a", n = 10, m = 0
              - insert Account as b with name = "b", n = 20, m = 0
            sessions:
            \(sessions)\(order)observe:
              n: read Account.n where name == "a"
            outcomes:
              - grade: acceptable
                is: {}
                because: The test compares what comes of it.

            """
    }

    private func session(_ name: String, _ context: String, _ steps: [String]) -> String {
        "  \(name):\n    context: \(context)\n    steps:\n"
            + steps.map { "      \($0)\n" }.joined()
    }

    private var contexts: String {
        let merges = hiding == .automerge ? ", automerge: true" : ""
        switch topology {
        case .siblings: return "  V: {policy: \(policy)\(merges)}\n  B: {}"
        case .child:
            return "  M: {queue: main, policy: \(policy)\(merges)}\n"
                + "  V: {parent: M\(merges)}\n  B: {}"
        case .children:
            return "  M: {queue: main, policy: \(policy)}\n"
                + "  V: {parent: M\(merges)}\n  B: {parent: M}"
        }
    }

    /// Constraints that let B save first. They are needed if V sets its value without a read,
    /// because V could otherwise overwrite the value of B in any order.
    private var order: String {
        guard reading == .given else { return "" }
        return topology == .child
            ? "after:\n  - m1 requires rival\n  - hide requires m1\n"
            : "after:\n  - hide requires rival\n"
    }

    /// Whether some serial order of the successful saves has the same final values.
    func isSerial(
        _ state: FamilyState, user: Int?, userSaved: Bool, writer: Int?, writerSaved: Bool
    ) -> Bool {
        for userIsFirst in [true, false] {
            var serial = FamilyState()
            var agrees = true
            for isUser in [userIsFirst, !userIsFirst] where isUser ? userSaved : writerSaved {
                let decided = (isUser ? self.user : self.writer).run(on: &serial)
                let seen = isUser ? user : writer
                if let decided, decided != seen { agrees = false }
            }
            if agrees, serial == state { return true }
        }
        return false
    }
}
