import CoreDataEngine
import CoreDataStore
import LabRunner
import LabSchedule

/// Explores a scenario by each strategy, and compares the results with those of brute force. The
/// final states, the number of schedules for each state, and the findings must agree.
struct WalkOracle {
    enum Answer {
        case agree(schedules: Int, reduced: Int)
        case tooLarge
        case differ(String)
    }

    let trial: ScenarioTrial
    /// Scenarios with more schedules are not compared.
    let most: Int
    var shards = 3
    /// A function that is called after each schedule.
    var lives: () -> Void = {}

    private typealias Ends = [ScheduleEnd: UInt64]

    func answer() throws(CoreDataError) -> Answer {
        let (whole, isWhole) = try ends(.exhaustive, limit: most)
        guard isWhole else { return .tooLarge }
        let count = whole.values.reduce(0, +)
        // Abandoned runs also count towards the limit.
        let limit = 20 * Int(clamping: count) + 100
        var reduced = 0
        let (fewer, isComplete) = try ends(.reduced, limit: limit) { reduced += 1 }
        if let text = difference(whole, fewer, isComplete, "the reduced walk") {
            return .differ(text)
        }
        let (mixed, isProved) = try ends(.portfolio, limit: 3 * limit)
        if let text = difference(whole, mixed, isProved, "the portfolio") { return .differ(text) }
        for bound in [0, 2] {
            let some = try ends(.bounded(bound), limit: limit).0
            if let text = excess(whole, some, "the bound of \(bound)") { return .differ(text) }
        }
        let every = try ends(.bounded(.max), limit: limit).0
        if let text = difference(whole, every, true, "the bound that allows every schedule") {
            return .differ(text)
        }
        for strategy in [Strategy.exhaustive, .reduced] {
            let parts = try divided(strategy, limit: limit)
            if let text = difference(whole, parts, true, "\(strategy) in \(shards) shards") {
                return .differ(text)
            }
        }
        return .agree(schedules: Int(clamping: count), reduced: reduced)
    }

    private func ends(
        _ strategy: Strategy, limit: Int, shard: Shard? = nil, visit: () -> Void = {}
    ) throws(CoreDataError) -> (Ends, isComplete: Bool) {
        var ends: Ends = [:]
        let isComplete = try trial.explore(strategy, limit: limit, shard: shard) { end, weight in
            ends[end.withoutPath, default: 0] += weight
            visit()
            lives()
            return true
        }
        return (ends, isComplete)
    }

    private func divided(_ strategy: Strategy, limit: Int) throws(CoreDataError) -> Ends {
        var all: Ends = [:]
        for index in 1...shards {
            let part = try ends(strategy, limit: limit, shard: Shard(index: index, count: shards))
            all.merge(part.0, uniquingKeysWith: +)
        }
        return all
    }

    private func difference(
        _ whole: Ends, _ other: Ends, _ isComplete: Bool, _ name: String
    ) -> String? {
        if let text = excess(whole, other, name) { return text }
        if let missing = whole.keys.first(where: { other[$0] == nil }) {
            let nearest = other.keys.first.flatMap {
                EndComparison.difference(missing, $0, "it", "another")
            }
            return "\(name) lacks a final state that brute force finds:"
                + " \(nearest ?? "it finds no final state")"
        }
        if !isComplete { return "\(name) does not finish" }
        return whole == other ? nil : "\(name) counts schedules differently"
    }

    private func excess(_ whole: Ends, _ other: Ends, _ name: String) -> String? {
        guard let added = other.keys.first(where: { whole[$0] == nil }) else { return nil }
        let nearest = whole.keys.first.flatMap {
            EndComparison.difference(added, $0, "it", "another")
        }
        return "\(name) finds a final state that brute force does not find: \(nearest ?? "")"
    }
}

extension ScheduleEnd {
    /// The final state without the path of the schedule, because equivalent schedules have
    /// different paths.
    var withoutPath: ScheduleEnd {
        var end = ScheduleEnd(path: [])
        end.outcome = outcome
        end.statuses = statuses
        end.values = values
        end.findings = findings
        end.graph = graph
        return end
    }
}
