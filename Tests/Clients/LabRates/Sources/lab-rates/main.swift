import Foundation
import Rates

let schedules = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2_000
let clock = ContinuousClock()
for isAsynchronous in [false, true] {
    for _ in 1...3 {
        let start = clock.now
        let report = try Tills.explore(isAsynchronous: isAsynchronous, schedules: schedules)
        let seconds = (clock.now - start) / .seconds(1)
        let memory = try ResidentMemory.now()
        print(
            isAsynchronous ? "async" : "sync", "\(report.schedules) schedules,",
            "\(Int(Double(report.schedules) / seconds)) a second,",
            "\(memory.total) KB resident, of them \(memory.file) of files")
    }
}
for part in try ResidentMemory.byFile() where part.resident >= 100 {
    print("  \(part.name): \(part.resident) KB, of them \(part.own) changed")
}
