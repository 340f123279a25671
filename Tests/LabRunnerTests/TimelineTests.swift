import Foundation
import LabResults
import LabRunner
import LabScenario
import Testing

@Suite struct TimelineTests {
    private func explore(_ file: String) throws -> RunReport {
        var options = SuiteOptions()
        options.timelines = .all
        return try ScenarioSuite(options).explore("\(scenarios)/\(file)")
    }

    private func read(_ file: String) throws -> Scenario {
        let path = "\(scenarios)/\(file)"
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        return try ScenarioReader().read(bytes, file: path)
    }

    @Test func `a timeline has the state of contexts, mailboxes and store around every step`()
        throws
    {
        let report = try explore("merging/mb-44-completion-before-merge.yaml")
        let transcript = try #require(report.scenarios[0].transcripts.first)
        let timeline = try #require(transcript.timeline)
        #expect(timeline.lanes.map(\.kind).contains(.mailbox))
        #expect(timeline.lanes.last?.kind == .store)
        #expect(timeline.start.count == timeline.lanes.count)
        let store = timeline.lanes.count - 1
        let save = try #require(
            timeline.steps.first { step in step.changes.contains { $0.lane == store } })
        #expect(save.sql.contains { $0.hasPrefix("UPDATE") })
        let merge = try #require(timeline.steps.first { $0.name.hasPrefix("~m") })
        #expect(merge.session == nil)
        #expect(merge.lines.map(\.text).contains { $0.hasPrefix("merge ") })
    }

    @Test func `observing every step does not change the events`() throws {
        let file = "\(scenarios)/policies/mb-09-denormalised-count.yaml"
        let plain = try ScenarioSuite().explore(file)
        let seen = try explore("policies/mb-09-denormalised-count.yaml")
        for (one, other) in zip(plain.scenarios, seen.scenarios) {
            #expect(other.verdict == .passed)
            #expect(one.transcripts.map(\.text) == other.transcripts.map(\.text))
            #expect(one.transcripts.allSatisfy { $0.timeline == nil })
        }
    }

    @Test func `arrangements keep sessions and refuse contexts with parents or merges`()
        throws
    {
        let flat = try read("policies/mb-09-denormalised-count.yaml")
        let stacks = try #require(Arrangement.ownStacks.applied(to: flat))
        #expect(stacks.contexts.map { $0.coordinator?.value } == [nil, "stack2"])
        let children = try #require(Arrangement.children.applied(to: flat))
        #expect(children.contexts.count == 3)
        let saves = children.sessions.flatMap(\.steps).flatMap(\.statements).compactMap {
            statement -> Bool? in
            guard case .context(.save(let form)) = statement.action else { return nil }
            return form.isChain
        }
        #expect(saves == [true, true])
        let nested = try read("unique/mb-20-constraint-in-a-child.yaml")
        #expect(Arrangement.ownStacks.applied(to: nested) == nil)
        #expect(Arrangement.children.applied(to: nested) == nil)
    }
}
