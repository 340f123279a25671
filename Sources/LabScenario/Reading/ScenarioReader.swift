/// Reads scenario files. The result is a checked scenario, or a list of all problems with their
/// positions.
package struct ScenarioReader: Sendable {
    package var policies: [String]

    package var include: Inclusion.Read

    package init(
        policies: [String] = PolicyName.builtIn + PolicyName.cures,
        include: @escaping Inclusion.Read = Inclusion.read(in: nil)
    ) {
        self.policies = policies
        self.include = include
    }

    /// Reads one file.
    ///
    /// - Parameters:
    ///   - bytes: the contents of the file.
    ///   - file: the path for messages.
    /// - Throws: all problems of the file. If the model is in a separate file, call
    ///   ``check(_:against:)`` to compare the scenario with it.
    package func read(_ bytes: [UInt8], file: String) throws(ScenarioProblems) -> Scenario {
        let problems = ProblemList(file: file)
        let inclusion = Inclusion(read: include, file: file, problems: problems)
        let tree = try inclusion.completed(try TreeReader.read(bytes, problems: problems))
        LimitCheck(problems: problems).check(tree)
        try problems.throwIfAny()
        ShapeCheck(problems: problems).check(tree, keys: ScenarioKeys.root, of: "the scenario")
        try problems.throwIfAny()
        if tree["model"] == nil {
            problems.add(
                "the scenario lacks 'model'", at: tree.position,
                instead: "add 'model:', or include a file with one")
        }
        try problems.throwIfAny()
        let all = bytes + inclusion.bytes(for: tree)
        let decoder = ScenarioDecoder(problems: problems, hash: ContentHash.of(all))
        let scenario = decoder.scenario(tree)
        try problems.throwIfAny()
        if case .inline(let shape) = scenario.model {
            ModelCheck(shape: shape, problems: problems).run()
            try problems.throwIfAny()
            try check(scenario, against: shape)
        }
        return scenario
    }

    /// Compares a scenario and its cures with the scenario's model.
    ///
    /// The runner calls this if the model is in a separate file.
    package func check(
        _ scenario: Scenario, against shape: ModelShape
    ) throws(ScenarioProblems) {
        let problems = ProblemList(file: scenario.file)
        let parameters = Set(
            ([scenario] + scenario.cures).flatMap(\.matrix).map(\.name.value)
        ).sorted()
        func check(_ scenario: Scenario, _ shape: ModelShape, _ problems: ProblemList) {
            ScenarioCheck(
                scenario: scenario, shape: shape, policies: policies, parameters: parameters,
                problems: problems
            ).run()
        }
        check(scenario, shape, problems)
        for cure in scenario.cures {
            var curedShape = shape
            let own = ProblemList(file: scenario.file)
            if case .inline(let shape) = cure.model {
                curedShape = shape
                ModelCheck(shape: shape, problems: own).run()
            }
            check(cure, curedShape, own)
            problems.add(own, of: cure.place)
        }
        try problems.throwIfAny()
    }
}
