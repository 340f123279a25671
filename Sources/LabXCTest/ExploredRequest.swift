import CoreDataTrace
import Foundation
import LabRunner
import XCTest

/// The parameters of an exploration, which the test case's class or the environment sets.
struct ExploredRequest {
    var options = TestOptions()

    /// - Returns: nil if the test is to run normally.
    init?(_ test: XCTestCase) {
        let environment = ProcessInfo.processInfo.environment
        if let type = type(of: test) as? ExploredTestCase.Type {
            options = TestOptions(
                schedules: type.schedules, seed: type.seed,
                mode: type.isPerturbed ? .perturbed : .automatic)
        } else if environment["FAULTLINE_EXPLORED"] == nil, environment["FAULTLINE_REPLAY"] == nil {
            return nil
        }
        if let text = environment["FAULTLINE_EXPLORED"] { read(text) }
    }

    /// Parses `100`; `100:7` with a seed; or `100:7:perturbed` for real threads.
    private mutating func read(_ text: String) {
        let parts = text.split(separator: ":")
        guard let schedules = parts.first.flatMap({ Int($0) }), schedules > 0, parts.count <= 3,
            parts.count < 2 || UInt64(parts[1]) != nil,
            parts.count < 3 || parts[2] == "perturbed"
        else {
            let form =
                "FAULTLINE_EXPLORED is '\(text)'; write SCHEDULES, SCHEDULES:SEED or"
                + " SCHEDULES:SEED:perturbed"
            StandardStream.log("\(form)\n")
            return
        }
        options.schedules = schedules
        if parts.count > 1 { options.seed = UInt64(parts[1]) ?? options.seed }
        if parts.count > 2 { options.mode = .perturbed }
    }
}
