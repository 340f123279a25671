import CoreData

/// An observation in one store that differs from the expected observation.
struct ProgramDifference: Codable, Sendable {
    /// The number of the step, from 1, and the observations that differ.
    let text: String
}

/// Runs a program in every store. After each step, compares the observations in the stores with
/// each other and with the reference.
struct ProgramJudge {
    let folder: String
    let model: NSManagedObjectModel
    var stores = ProgramStore.allCases

    /// Steps that are added at the end of every program.
    private static let end: [ProgramStep] = [.look, .readInNewContext, .reopen, .look]

    /// The number of compared steps, and of permitted differences for each reason.
    struct Tally: Sendable {
        var steps = 0
        var named: [String: Int] = [:]
    }

    /// - Returns: the first difference that is not permitted; nil if there is no such difference.
    func judge(_ program: RandomProgram, _ tally: inout Tally) -> ProgramDifference? {
        var whole = program
        whole.steps += Self.end
        let moves = ReferenceRun.moves(of: whole)
        var runs: [(store: ProgramStore, run: EngineRun)] = []
        for store in stores {
            do {
                runs.append((store, try EngineRun(program, store, folder, model)))
            } catch {
                return ProgramDifference(text: "the \(store.rawValue) store: \(error)")
            }
        }
        for (index, move) in moves.enumerated() {
            tally.steps += 1
            let sights = runs.map { ($0.store, $0.run.perform(move)) }
            let found = differences(move, sights, &tally)
            if !found.isEmpty {
                return ProgramDifference(
                    text: "step \(index + 1), \(move.step.text):\n"
                        + found.joined(separator: "\n"))
            }
        }
        return nil
    }

    private func differences(
        _ move: ProgramMove, _ sights: [(store: ProgramStore, sight: ProgramSight)],
        _ tally: inout Tally
    ) -> [String] {
        var found: [String] = []
        for (store, sight) in sights {
            for reason in NamedDifference.allCases
            where reason.holds(move, store) {
                tally.named[reason.rawValue, default: 0] += 1
            }
            if let answer = move.answer, answer != sight.answer {
                found.append("  \(store.rawValue): \(Self.quoted(sight.answer))")
                found.append("  reference: \(Self.quoted(answer))")
            }
            if move.inserted != sight.inserted || move.deleted != sight.deleted {
                found.append(
                    "  \(store.rawValue): \(sight.inserted) inserted, \(sight.deleted) deleted")
                found.append("  reference: \(move.inserted) inserted, \(move.deleted) deleted")
            }
            found += list(move, sight).map { "  \(store.rawValue): \($0)" }
        }
        guard found.isEmpty, let first = sights.first else { return found }
        let others = sights.dropFirst().filter { $0.sight != first.sight }
        if others.isEmpty { return [] }
        if isNilInSQL(move, sights) {
            tally.named[NamedDifference.nilInSQL.rawValue, default: 0] += 1
            return []
        }
        return ([first] + others).map { store, sight in
            "  \(store.rawValue): \(Self.quoted(sight.answer)) \(sight.rest)"
        }
    }

    /// Whether only the SQLite store differs, and only in objects where SQL compares with nil in
    /// another way.
    private func isNilInSQL(
        _ move: ProgramMove, _ sights: [(store: ProgramStore, sight: ProgramSight)]
    ) -> Bool {
        let others = Set(sights.filter { $0.store != .sqlite }.map(\.sight))
        guard let sight = sights.first(where: { $0.store == .sqlite })?.sight,
            let other = others.first, others.count == 1
        else { return false }
        return move.differOnlyInNil(sight, other)
    }

    /// The difference between the results controller's list and the expected list.
    private func list(_ move: ProgramMove, _ sight: ProgramSight) -> [String] {
        guard let watched = sight.watched else { return [] }
        if watched != sight.found {
            return ["the controller lists \(watched)", "a fetch finds \(sight.found ?? "nothing")"]
        }
        guard let expected = move.watched, expected != watched else { return [] }
        return ["the controller lists \(watched)", "it should list \(expected)"]
    }

    private static func quoted(_ answer: String) -> String {
        answer.isEmpty ? "nothing" : answer.split(separator: "\n").joined(separator: "\n    ")
    }
}

/// The permitted differences between stores, with their reasons. If a store does not support an
/// operation, an equivalent one is executed, so that the program can continue.
enum NamedDifference: String, CaseIterable, Sendable {
    case batchRequests = "batch requests, which stores other than SQLite refuse"
    case memoryHasNoFile = "reopening, which for a store in memory is a new context"
    case nilInSQL = "objects with nil under NOT or !=, which memory finds and SQL does not"

    func holds(_ move: ProgramMove, _ store: ProgramStore) -> Bool {
        switch (self, move.step) {
        case (.batchRequests, .batchUpdate), (.batchRequests, .batchDelete),
            (.batchRequests, .batchInsert):
            store != .sqlite
        case (.memoryHasNoFile, .reopen): store == .memory
        // The answers determine whether `nilInSQL` applies. See `ProgramMove.differOnlyInNil`.
        default: false
        }
    }
}
