import LabRunner
import Testing

@Suite struct SteppingTests {
    @Test func `steps are chosen by name or number, taken back, and end like a replay`() throws {
        let path = scenarios + "/tour-two-sessions.yaml"
        var page = ""
        try suite().step(path, cell: "policy=objectTrump") { stepping in
            #expect(stepping.choices == ["d1", "f1"])
            let lines = try #require(try stepping.choose("d1"))
            #expect(lines.count == 1)
            #expect(stepping.state.contains { $0.hasPrefix("Bank") && $0.hasSuffix("is a fault") })
            #expect(try stepping.choose("f4") == nil)
            #expect(try stepping.choose("1") != nil)
            #expect(stepping.choices == ["d3", "f1"])
            #expect(try stepping.undo())
            #expect(stepping.choices == ["d2", "f1"])
            for step in ["d2", "f1", "f2", "d3"] { #expect(try stepping.choose(step) != nil) }
            #expect(
                stepping.state.contains { $0.contains("(changed)") && $0.contains("balance = 15") })
            for step in ["d4", "f3", "f4"] { #expect(try stepping.choose(step) != nil) }
            #expect(stepping.isFinished)
            page = try stepping.finish()
        }
        let token = try #require(
            page.split(separator: "\n").first { $0.hasPrefix("token") }?.split(separator: " ").last)
        #expect(try suite().replay(String(token), in: [path]).first == page)
        #expect(page.contains("lost update"))
    }
}
