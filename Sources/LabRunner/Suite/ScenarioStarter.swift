import LabFiles
import LabScenario

extension ScenarioSuite {
    /// A commented scenario to start from: two contexts that increment the same number.
    ///
    /// - Throws: an error for a name that a scenario cannot have.
    package static func starter(named name: String) throws(InputErrors) -> String {
        let isName =
            name.first?.isLetter == true
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        guard isName else {
            throw InputErrors([
                InputError(
                    file: "name", problem: "'\(name)' cannot name a scenario",
                    remedy: "use letters, digits, '-' and '_', and start with a letter")
            ])
        }
        return text.replacing("NAME", with: name)
    }

    private static let text = """
        # yaml-language-server: $schema=scenario.schema.json
        # An editor completes keys with that file; `faultline schema` prints it.
        name: NAME

        # One sentence: the property that must hold in every interleaving.
        about: >-
          Two contexts that each add to one balance leave the sum of both.

        # Entities with attributes and relationships, a line each: TYPE [required] [default VALUE],
        # and one|many|ordered ENTITY inverse KEY|none.
        model:
          entities:
            Account:
              attributes:
                balance: integer64 required default 0

        # The contexts of the steps. A context is private unless it says 'queue: main'; it may have
        # a 'parent', and it may merge the saves of others ('merges-from', 'automerge').
        contexts:
          A: {policy: $policy}
          B: {policy: $policy}

        # The scenario runs once for each value; '$policy' above stands for it.
        matrix:
          policy: [error, objectTrump]

        # The rows in the store before the sessions start.
        setup:
          - insert Account as a with balance = 10

        # Each session is a list of steps; every interleaving of the sessions is run.
        sessions:
          one:
            context: A
            steps:
              one-adds: set a.balance = a.balance + 1
              one-saves: save
          two:
            context: B
            steps:
              two-adds: set a.balance = a.balance + 2
              two-saves: save

        # The values that a separate context reads at the end.
        observe:
          balance: read Account.balance
          one: status one-saves
          two: status two-saves

        # The possible results. The first outcome that fits counts; a result without one fails the
        # run. 'forbidden' fails it, too. A 'defect' is a reported bug: some result must be it.
        outcomes:
          - grade: acceptable
            is: {balance: 13, one: ok, two: ok}
            because: One came after the other.
          - grade: acceptable
            is: {balance: 11, one: ok, two: 133020}
            when: {policy: error}
            because: The second save is refused, because its account is old.
          - grade: acceptable
            is: {balance: 12, one: 133020, two: ok}
            when: {policy: error}
            because: The second save is refused, because its account is old.

        """
}
