import Foundation
import LabScenario

/// Reads a text as a scenario file named `bad.yaml`.
func read(_ text: String) throws(ScenarioProblems) -> Scenario {
    try ScenarioReader().read(Array(text.utf8), file: "bad.yaml")
}

/// The messages about a text that is not a valid scenario.
func messages(_ text: String) -> [String] {
    do {
        _ = try read(text)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// A small scenario in which one line is replaced.
func example(replacing old: String = "", with new: String = "") -> String {
    let text = """
        name: example
        about: Two contexts edit one account.
        model:
          entities:
            Account:
              attributes:
                name: string
                balance: integer64 required default 0
                opened: date
              relationships:
                owner: one Person inverse accounts
            Person:
              attributes:
                name: string
              relationships:
                accounts: many Account inverse owner cascade
        contexts:
          B1: {policy: $policy}
          V: {queue: main, automerge: true}
        matrix:
          policy: [error, objectTrump]
        setup:
          - insert Person as p with name = "x"
          - insert Account as a with balance = 10, owner = p
        sessions:
          one:
            context: B1
            steps:
              s1: fetch Account where balance > 5 sort name -> found
              s2: set found.balance = found.balance + 5; set a.name = "y"
              s3: save
          two:
            context: V
            steps:
              t1: read a.owner.name
        observe:
          balance: read Account.balance
          saved: status s3
        outcomes:
          - grade: acceptable
            is: {balance: 15, saved: ok}
            when: {policy: error}
            because: It adds up.
        """
    if old.isEmpty { return text }
    precondition(text.contains(old), "the example has no '\(old)'")
    return text.replacingOccurrences(of: old, with: new)
}

let catalogue: [URL] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Scenarios")
    let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    let files = (walk?.allObjects ?? []).compactMap { $0 as? URL }
    return files.filter { $0.pathExtension == "yaml" && !$0.path.hasSuffix(".part.yaml") }
        .sorted { $0.path < $1.path }
}()

let scenariosFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scenarios")
