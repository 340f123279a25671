import CoreData
import Foundation
import LabRunner
import Testing

/// Tests of the message with the current schedule if explored code ends the process.
@Suite struct TrapTests {
    /// Ends the process if the second session reads between the two saves of the first one.
    private static func explore(_ options: Lab.Options) throws {
        try Lab.explore("a trap", options, function: "testTrap()") { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            lab.session("writer") {
                let context = stack.newBackgroundContext()
                try Shop.add(1, to: id, in: context)
                try Shop.add(1, to: id, in: context)
            }
            lab.session("reader") {
                if try Shop.balance(of: id, in: stack) == 11 { fatalError("half of the sum") }
            }
        }
    }

    private static func text(_ result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test func `a trap prints the token that leads to it again`() async throws {
        let found = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Self.explore(.unhurried())
        }
        let text = try Self.text(found)
        #expect(text.contains("faultline: the process ends in a schedule of 'a trap'."))
        let start = try #require(text.firstRange(of: "FAULTLINE_REPLAY='lab1:a trap@"))
        let command = text[start.lowerBound...].prefix { $0 != "\n" }
        #expect(command.hasSuffix("swift test --filter testTrap"))
        let token = String(command.split(separator: "'")[1])
        let again = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [token = token as String] in
            var options = Lab.Options.unhurried()
            options.replay = token
            try Self.explore(options)
        }
        #expect(try Self.text(again).contains(token))
    }

    @Test func `a trap of the first schedule prints its steps`() async throws {
        let found = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Lab.explore("always", .unhurried()) { lab in
                lab.session("first") {}
                lab.session("second") { fatalError("always") }
            }
        }
        let text = try Self.text(found)
        #expect(text.contains("the first schedule of 'always'"))
        #expect(text.contains("first.second\n"))
    }

    @Test func `an end of the process outside of schedules prints no schedule`() async throws {
        let found = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Lab.explore("calm", .unhurried()) { lab in lab.session("only") {} }
            fatalError("later")
        }
        #expect(try !Self.text(found).contains("faultline: the process ends"))
    }
}
