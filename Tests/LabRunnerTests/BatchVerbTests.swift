import Foundation
import LabFiles
import LabResults
import LabRunner
import Testing

/// A scenario in which one context writes rows with batch requests, and another one reads them.
private let base = """
    name: written
    about: A batch changes rows past every context.
    model:
      entities:
        Story:
          attributes: {url: string, title: string, stars: integer64 required default 0}
          unique: [url]
    contexts: {V: {}, B: {policy: objectTrump}}
    setup:
      - insert Story as s with url = "u", title = "old", stars = 5
      - insert Story as t with url = "v", title = "other"
    sessions:
      one:
        context: B
        steps:
          b1: batch-update Story with stars = 7 where title == "old"
    observe: {stars: read Story.stars sort url, titles: read Story.title sort url, one: status b1}
    outcomes:
      - grade: acceptable
        is: {}
        because: Anything.

    """

private func result(_ old: String, _ new: String) throws -> ScenarioResult {
    precondition(base.contains(old))
    let text = base.replacingOccurrences(of: old, with: new)
    return try #require(try withScenario(text) { try suite().run([$0]).scenarios }.first)
}

@Suite struct BatchVerbTests {
    @Test func `a batch update changes the rows of its predicate and names them`() throws {
        let result = try result("b1: batch", "b1: batch")
        #expect(
            result.outcomes.map(\.text) == ["(stars = [7, 0], titles = [old, other], one = ok)"])
        let text = try #require(result.transcripts.first).text
        #expect(text.contains("where title == \"old\"  → 1 row\n"))
        #expect(text.contains("s is version 2: stars = 7, title = \"old\", url = \"u\""))
    }

    @Test func `a batch delete is merged only into the contexts that receive its ids`() throws {
        let steps = """
            b1: batch-delete Story where url == "u"
                  b2: merge-remote B into V
              two:
                context: V
                steps:
                  v1: fetch Story realised -> all
                  v2: state deleted -> marked
            after: [b1 requires v1, v2 requires b1]
            """
        let result = try result(
            "b1: batch-update Story with stars = 7 where title == \"old\"\n", steps + "\n")
        let marked = result.transcripts.map(\.text)
        #expect(result.outcomes.count == 1)
        #expect(marked.contains { $0.contains("merge-remote B into V  → into 1") })
        #expect(result.outcomes[0].text.hasPrefix("(stars = 0, titles = other"))
    }

    @Test(arguments: ["V, C", "C, V"])
    func `a batch is merged into a parent before its child`(targets: String) throws {
        let text = base.replacingOccurrences(
            of: "contexts: {V: {}", with: "contexts: {V: {}, C: {parent: V}"
        )
        .replacingOccurrences(
            of: "where title == \"old\"\n",
            with: """
                where title == "old"
                      b2: merge-remote B into \(targets)
                  parent: {context: V, steps: {v1: read s.stars}}
                  child: {context: C, steps: {c1: read s.stars, c2: read s.stars -> seen}}
                after: [b1 requires v1, b1 requires c1, c2 requires b2]

                """
        )
        .replacingOccurrences(of: "observe: {", with: "observe: {seen: value seen, ")
        let result = try withScenario(text) { try suite().run([$0]).scenarios[0] }
        #expect(result.outcomes.map { $0.text.hasPrefix("(seen = 7,") } == [true])
    }

    @Test func `a batch insert over a row writes its values, whatever a context has registered`()
        throws
    {
        let result = try result(
            "batch-update Story with stars = 7 where title == \"old\"",
            "batch-insert Story with url = \"u\", title = \"new\"")
        #expect(result.outcomes[0].text == "(stars = [5, 0], titles = [new, other], one = ok)")
        #expect(result.findings.isEmpty)
    }

    @Test func `an in-memory store refuses batches`() throws {
        let text = base.replacingOccurrences(of: "setup:", with: "store: in-memory\nsetup:")
        let result = try withScenario(text) { try suite().run([$0]).scenarios[0] }
        #expect(
            result.outcomes[0].text == "(stars = [5, 0], titles = [old, other], one = 134091)")
    }

    @Test func `a migration to a model with more constraints needs a file without duplicates`()
        throws
    {
        let migrate = "b1: migrate unique Story.title"
        let batch = "b1: batch-update Story with stars = 7 where title == \"old\""
        let image = #expect(throws: InputErrors.self) { try result(batch, migrate) }
        #expect(image?.description.contains("a migration needs a store in a file") == true)
        let text = base.replacingOccurrences(of: batch, with: migrate)
            .replacingOccurrences(of: "setup:", with: "store: sqlite\nsetup:")
        let opened = try withScenario(text) { try suite().run([$0]).scenarios[0] }
        #expect(opened.outcomes[0].text.hasSuffix("one = ok)"))
        let twice = text.replacingOccurrences(of: "\"other\"", with: "\"old\"")
        let refused = try withScenario(twice) { try suite().run([$0]).scenarios[0] }
        #expect(!refused.outcomes[0].text.hasSuffix("one = ok)"))
    }
}
