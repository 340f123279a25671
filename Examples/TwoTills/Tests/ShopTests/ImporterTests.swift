import CoreData
import LabRunner
import Shop
import Testing

/// Tests of the tutorial. The first importer can create an article twice. The last one cannot.
@Suite struct ImporterTests {
    private func explore(
        _ model: NSManagedObjectModel = Shop.model, _ policy: NSMergePolicy = .error,
        _ run: @escaping (Importer, [Importer.Line]) async throws -> Void
    ) throws -> CodeReport {
        try Lab.explore("one list, twice") { lab in
            let stack = try lab.stack(model: model)
            let importer = Importer(stack, policy)
            let list = [Importer.Line(code: "tea", price: 4)]
            lab.session("push") { try await run(importer, list) }
            lab.session("pull") { try await run(importer, list) }
            lab.finally { try #expect(Shop.articles(in: stack) == 1) }
        }
    }

    /// This test records the bug: the lab finds the schedule that creates two articles.
    @Test func `an importer with a context for each run makes two articles of one`() throws {
        let failure = try #require(
            #expect(throws: CodeFailure.self) { try explore { try await $0.run($1) } })
        #expect(failure.cures.contains { $0.helps && $0.name.contains("one queue") })
        print(failure)
    }

    @Test func `an importer with one context makes one in every schedule`() throws {
        let report = try explore { try await $0.runInTurn($1) }
        #expect(report.isComplete)
        print(report)
    }

    @Test func `codes that are unique need a policy that lets the known article stand`() throws {
        let model = Shop.makeModel(codesAreUnique: true)
        let report = try explore(model, .mergeByPropertyStoreTrump) { try await $0.run($1) }
        #expect(report.isComplete)
        let failure = try #require(
            #expect(throws: CodeFailure.self) { try explore(model) { try await $0.run($1) } })
        print(failure)
    }
}
