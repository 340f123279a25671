import CoreDataTrace
import Foundation
import Glibc

/// The entry point of a victim process. It reads the request from the arguments, executes it, and
/// ends the process.
package enum TortureVictim {
    /// The first argument of a victim's process.
    package static let subcommand = "torture-victim"
    /// The number of seconds after which the victim counts as hung and ends itself.
    static let secondsMax: UInt32 = 120

    /// Whether the program's arguments request a victim.
    package static func isAsked(_ arguments: [String]) -> Bool {
        arguments.count == 3 && arguments[1] == subcommand
    }

    /// Executes the request. If this fails, it prints an error message and exits with status 70.
    package static func main(_ request: String) -> Never {
        alarm(secondsMax)
        do {
            let request = try JSONDecoder().decode(VictimRequest.self, from: Data(request.utf8))
            try perform(request)
            exit(0)
        } catch {
            StandardStream.log("\(error)\n")
            exit(70)
        }
    }

    static func perform(_ request: VictimRequest) throws {
        switch request.work {
        case .prepare: try VictimWork(request).prepare()
        case .write: try VictimWork(request).write()
        case .verify:
            for (number, one) in request.cases.enumerated() {
                VictimVoice.say("case \(number)")
                do {
                    let kept = try Verification(request, one).run()
                    VictimVoice.say("fine \(number) \(kept)")
                } catch {
                    let text = "\(error)".replacingOccurrences(of: "\n", with: " ")
                    VictimVoice.say("wrong \(number) \(text)")
                }
            }
        case .crowd:
            guard let role = request.crowd else { return }
            try CrowdWork(request, role).run()
        }
    }
}
