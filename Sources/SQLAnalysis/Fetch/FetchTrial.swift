import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import LabFiles
import LabResults

/// Tries variants of a fetch on a copy of a store, for the command `fetch`.
package struct FetchTrial {
    /// The number of rounds. In each round, every variant is measured once.
    package var rounds = 5
    /// The build configuration: `release` or `debug`.
    package var build = "release"

    private let name: String
    private let store: OpenedStore

    /// Copies a store and opens the copy.
    ///
    /// - Parameters:
    ///   - store: the store's path as the user entered it; the store is never written.
    ///   - model: the path of a model; nil for the model in the store.
    package init(store: String, model: String?) throws(InputErrors) {
        name = store
        self.store = try OpenedStore.copy(of: store, model: model)
    }

    /// Runs the fetch in every variant.
    ///
    /// - Throws: an error in the described fetch, or an error of the engine.
    package func run(
        _ question: FetchQuestion, progress: ProgressSink = { _ in }
    ) throws -> FetchReport {
        let checked = try CheckedQuestion(question, layout: store.layout)
        try tryOut(checked)
        let ways = FetchWay.all(checked)
        var strategies: [FetchStrategy] = []
        let total = ways.count * (rounds + 1)
        for (index, way) in ways.enumerated() {
            progress(ProgressUpdate("count \(way.name)", completed: index, total: total))
            strategies.append(
                try FetchTally.count(
                    FetchRun(question: checked, way: way), on: store, named: way.name,
                    sentence: way.sentence(question.keyPaths)))
        }
        var times = Array(repeating: [FetchRun.Outcome](), count: ways.count)
        for round in 0..<rounds {
            for (index, way) in ways.enumerated() {
                let done = ways.count * (round + 1) + index
                progress(ProgressUpdate("measure \(way.name)", completed: done, total: total))
                times[index].append(
                    try FetchRun(question: checked, way: way).run(on: store.coordinator))
            }
        }
        for index in ways.indices { Self.fill(&strategies[index], times[index]) }
        return FetchReport(
            store: name, entity: question.entity,
            rowsInStore: try rowsInStore(checked.entity), request: checked.code, rounds: rounds,
            build: build, strategies: strategies, verdict: try verdict(checked, strategies),
            notes: notes(checked, strategies))
    }

    private func verdict(
        _ question: CheckedQuestion, _ strategies: [FetchStrategy]
    ) throws -> FetchVerdict {
        let trial = IndexTrial(question: question, store: store, rounds: rounds)
        let plain = strategies.first { $0.name == FetchWay.plain.name }
        return VerdictBuilder(
            question: question, strategies: strategies,
            screen: try FetchScreen(question: question, store: store).costs(),
            index: try plain.flatMap { try trial.run(plain: $0) }
        ).verdict
    }

    /// Runs the fetch once, so that the engine checks the predicate and the sort keys before any
    /// measurement.
    private func tryOut(_ question: CheckedQuestion) throws(InputErrors) {
        guard let error = failure(of: question) else { return }
        var sorted = question
        sorted.predicate = nil
        var bare = sorted
        bare.sort = []
        // If the bare fetch also fails, the store is the cause.
        if let error = failure(of: bare) {
            throw Self.error(name, error, "name a store that the app can read")
        }
        if let error = failure(of: sorted) {
            throw Self.error("--sort", error, keys(question.entity))
        }
        throw Self.error("--predicate", error, advice(Self.message(error), question.entity))
    }

    /// The remedy for a predicate that the engine refuses with this message.
    private func advice(_ message: String, _ entity: EntityLayout) -> String {
        if message.contains("to-many key") {
            return "write ANY or ALL before the comparison, or compare the @count"
        }
        guard message.contains("not found in entity") else {
            return "write attributes, relationships and constants, which SQL can compare"
        }
        // If the key path fails at another entity, the message names that entity.
        let missing = store.layout.entities.first { message.contains("<NSSQLEntity \($0.name) ") }
        return keys(missing ?? entity)
    }

    private func keys(_ entity: EntityLayout) -> String {
        let known = entity.values.filter { $0.toOne == nil }.map(\.name) + entity.relationshipNames
        return "\(entity.name) has: \(known.sorted().joined(separator: ", "))"
    }

    private func failure(of question: CheckedQuestion) -> (any Error)? {
        do {
            _ = try FetchRun(question: question, way: .ids).run(on: store.coordinator)
            return nil
        } catch { return error }
    }

    private static func error(
        _ place: String, _ error: any Error, _ remedy: String
    ) -> InputErrors {
        InputErrors([InputError(file: place, problem: message(error), remedy: remedy)])
    }

    private static func message(_ error: any Error) -> String {
        if let error = error as? CoreDataError { return error.message }
        let error = error as NSError
        return error.userInfo[NSLocalizedDescriptionKey] as? String ?? "\(error)"
    }

    private static func fill(_ strategy: inout FetchStrategy, _ times: [FetchRun.Outcome]) {
        func median(_ values: [UInt64]) -> UInt64 {
            values.isEmpty ? 0 : values.sorted()[values.count / 2]
        }
        strategy.fetchNanoseconds = median(times.map(\.fetchNanoseconds))
        strategy.totalNanoseconds = median(times.map(\.totalNanoseconds))
        strategy.worstNanoseconds = times.map(\.totalNanoseconds).max() ?? 0
    }

    private func rowsInStore(_ entity: EntityLayout) throws -> Int {
        var all = FetchQuestion(entity: entity.name)
        all.batchSizes = []
        let checked = try CheckedQuestion(all, layout: store.layout)
        return try FetchRun(question: checked, way: .count).run(on: store.coordinator).results
    }

    // MARK: Notes

    private func notes(_ question: CheckedQuestion, _ strategies: [FetchStrategy]) -> [String] {
        var notes: [String] = []
        let relationships = question.entity.relationshipNames
        if question.paths.isEmpty, !relationships.isEmpty {
            notes.append(
                "To see the cost of reading relationships, add --prefetch with one of: "
                    + relationships.joined(separator: ", ") + ".")
        }
        let counts = Dictionary(
            strategies.map { ($0.name, $0.statementTotal) }
        ) { first, _ in first }
        if let walk = counts["walk"], let prefetch = counts["prefetch"], walk > prefetch {
            notes.append("With prefetching, \(prefetch) statements run instead of \(walk).")
        }
        if build == "debug" {
            notes.append(
                "This is a debug build. Its times are several times longer than those of a release"
                    + " build.")
        }
        return notes
    }
}
