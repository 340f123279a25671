import Foundation
import TestSupport
import Testing

/// Two writers of one balance.
private func raises(first: String = "r1: read a.balance", other: String = "") -> String {
    """
    name: two-raises
    about: Two writers that raise one balance both count.
    model: {entities: {Account: {attributes: {name: string, balance: integer64 default 0}}}}
    contexts: {B1: {policy: objectTrump}, B2: {policy: objectTrump}, V: {}}
    setup: [insert Account as a with balance = 10]
    sessions:
      one: {context: B1,steps: {\(first), w1: set a.balance = a.balance + 5, s1: save}}
      two: {context: B2,steps: {r2: read a.balance,w2: set a.balance = a.balance + 7, s2: save}}
      three: {context: V,steps: {v1: count Account\(other)}}
    observe: {balance: read Account.balance}
    outcomes:
      - {grade: acceptable, is: {balance: 22}, because: one read what the other saved}
      - {grade: interesting, is: {balance: {one-of: [15, 17]}}, because: one is lost}

    """
}

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct ReplayCommandTests {
    private let token = "lab1:two-raises@00000000:-:r1.w1.r2.s1.v1.w2.s2"
    private let lost =
        "B2 started from a.balance 10 at version 1; B1 saved 15 as version 2; B2 saved 17"
        + " computed from version 1, so 15 is lost."

    private func replay(_ text: String) throws -> Tool.Result {
        let scratch = try Scratch()
        let file = try scratch.write(text, to: "raises.yaml")
        return try Tool.run("replay", token, "--in", file)
    }

    @Test func `a token replays the schedule that it names`() throws {
        let result = try replay(raises())
        #expect(result.status == 0)
        #expect(result.output.contains(lost))
        #expect(result.complaint.isEmpty)
    }

    @Test(arguments: [
        (raises(first: "r1: read a.balance, k1: count Account"), "'k1' ran before 'w1'"),
        (raises(first: "k1: count Account, r1: read a.balance"), "'k1' ran before 'r1'"),
        (raises(other: ", v2: count Account"), "after the named steps it continued with v2"),
    ])
    func `a token replays after an edit of the file, and reports that it was adapted`(
        text: String, adaptation: String
    ) throws {
        let result = try replay(text)
        #expect(result.status == 5)
        #expect(result.output.contains(lost))
        #expect(result.complaint.contains("the file has changed since the token was printed"))
        #expect(result.complaint.contains(adaptation))
    }

    @Test func `a printed line can be pasted, and after an edit it reports this and ends with 5`()
        throws
    {
        let scratch = try Scratch()
        let file = try scratch.write(raises(), to: "raises.yaml")
        let explored = try Tool.run("explore", file)
        let lines = explored.output.split(separator: "\n").filter { $0.contains(" replay 'lab1:") }
        #expect(lines.count > 2)
        #expect(lines.allSatisfy { $0.hasSuffix(" --in \(file)") })
        let line = try #require(lines.last)
        let token = String(line.split(separator: "'")[1])
        let again = try Tool.run("replay", token, "--in", file)
        #expect(again.status == 0 && again.complaint.isEmpty)
        #expect(again.output.contains("finding  lost update"))
        _ = try scratch.write(raises() + "# edited\n", to: "raises.yaml")
        let edited = try Tool.run("replay", token, "--in", file)
        #expect(edited.status == 5)
        #expect(edited.output.contains("finding  lost update"))
        #expect(edited.complaint.contains("the file has changed since the token was printed"))
        let accepted = try Tool.run("replay", token, "--accept-edits", "--in", file)
        #expect(accepted.status == 0)
        #expect(accepted.complaint.contains("the file has changed since the token was printed"))
    }
}

/// Six sessions have five steps each. A lost update occurs only between the first two.
private let hidden: String = {
    let idle = (3...6).map { number in
        "  s\(number): {context: C\(number), steps: {k\(number): count Account -> r\(number),"
            + " l\(number): insert Person as p\(number) with name = \"p\","
            + " m\(number): set p\(number).age = \(number), n\(number): fetch Person -> q\(number),"
            + " o\(number): save}}\n"
    }.joined()
    return """
        name: hidden
        about: Nothing is lost when six sessions work.
        model:
          entities:
            Account: {attributes: {name: string, balance: integer64 default 0, note: string}}
            Person: {attributes: {name: string, age: integer16}}
        contexts:
          {A: {policy: objectTrump}, B: {policy: objectTrump}, C3: {}, C4: {}, C5: {}, C6: {}}
        setup:
          - insert Account as a with name = "one", balance = 10
          - insert Account as b with name = "two", balance = 20
        sessions:
          one:
            context: A
            steps:
              a1: fetch Account where name == "one" -> mine
              a2: read mine.balance -> before
              a3: set mine.note = "five"
              a4: set mine.balance = before + 5
              a5: save
          two:
            context: B
            steps:
              b1: fetch Account where name == "one" -> theirs
              b2: read theirs.balance -> seen
              b3: count Person -> people
              b4: set theirs.balance = seen + 7
              b5: save

        """ + idle + """
            explore: {limit: 300}
            observe: {balance: 'read Account.balance where name == "one"'}
            outcomes:
              - {grade: acceptable, is: {balance: "*"}, because: anything may be}

            """
}()

@Suite(.enabled(if: Tool.isBuilt, "the faultline executable has not been built"))
struct ShrinkCommandTests {
    @Test func `six sessions of thirty steps shrink to two of at most six with the same finding`()
        throws
    {
        let scratch = try Scratch()
        let file = try scratch.write(hidden, to: "hidden.yaml")
        let result = try Tool.run(
            "shrink", file, "--finding", "lost update", "--out", scratch.folder.path)
        #expect(result.status == 0, "\(result.complaint)")
        let small = try String(contentsOfFile: scratch.path("hidden-small.yaml"), encoding: .utf8)
        let names = #/^ {6}\w+: /#.anchorsMatchLineEndings()
        let again = try Tool.run("run", scratch.path("hidden-small.yaml"), "--format", "json")
        #expect(again.status == 0, "\(small)\n\(again.output)")
        #expect(again.output.contains("lost update"))
        let sessions = try #require(
            small.components(separatedBy: "\nobserve:")[0].components(separatedBy: "\nsessions:")
                .last)
        #expect((1...6).contains(sessions.matches(of: names).count), "\(small)")
        #expect(sessions.components(separatedBy: "context: ").count - 1 == 2, "\(small)")
    }
}
