import LabScenario

// Scenarios on the store that the options choose.
extension ScenarioSuite {
    /// The file with the store of the options, or skipped if it needs another store.
    func onChosenStore(_ file: ScenarioLoader.Result) -> ScenarioLoader.Result {
        guard let choice = options.store, case .loaded(let variants) = file else { return file }
        if let why = variants.lazy.compactMap(choice.refusal).first {
            return .skipped(variants[0].scenario, why: why)
        }
        return .loaded(variants.map(choice.applied))
    }
}

extension StoreChoice {
    /// The reason why a scenario cannot run on the chosen store; nil if it can.
    func refusal(of loaded: LoadedScenario) -> String? {
        let scenario = loaded.scenario
        guard case .value(let kind) = scenario.store.kind else {
            return "the scenario compares stores"
        }
        if !kind.isSQLite { return "the scenario needs a store of the kind '\(kind.rawValue)'" }
        if loaded.copiedStore != nil { return "the scenario starts from a file of SQLite" }
        switch self {
        case .sqlite(let chosen):
            let needsFile = kind == .file && chosen != .file
            return needsFile ? "the scenario needs a store in a file" : nil
        case .host(let host): return hostRefusal(of: scenario, host)
        }
    }

    private func hostRefusal(of scenario: Scenario, _ host: any StoreHost) -> String? {
        let steps = scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)
        for statement in steps.flatMap(\.statements) {
            guard case .stack(let action) = statement.action else { continue }
            switch action {
            case .migrate: return "stores of \(host.name) are not migrated by the lab"
            case .outside(let sql, _):
                if let refusal = host.sqlRefusal { return refusal }
                // A lane would wait in the server for a lock of this transaction, and the lab
                // would not see the wait.
                let start = sql.drop(while: \.isWhitespace).uppercased()
                if ["BEGIN", "START", "SAVEPOINT"].contains(where: { start.hasPrefix($0) }) {
                    return "another process holds a transaction of SQLite between two steps"
                }
            default: break
            }
        }
        let observesSQL = scenario.observations.contains { observation in
            if case .sql = observation.source { return true }
            return false
        }
        return observesSQL ? host.sqlRefusal : nil
    }

    /// The scenario with the chosen store.
    func applied(to loaded: LoadedScenario) -> LoadedScenario {
        guard case .sqlite(let kind) = self else { return loaded }
        var scenario = loaded.scenario
        scenario.store.kind = .value(kind)
        return LoadedScenario(
            scenario: scenario, model: loaded.model, copiedStore: loaded.copiedStore)
    }
}
