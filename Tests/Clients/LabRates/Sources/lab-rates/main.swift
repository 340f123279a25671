import Foundation
import Rates

let schedules = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2_000
let cores = ProcessInfo.processInfo.activeProcessorCount
let clock = ContinuousClock()

/// Runs the exploration three times and prints a line for each run.
func measure(isAsynchronous: Bool, worlds: Int) throws {
    for _ in 1...3 {
        let start = clock.now
        let report = try Tills.explore(
            isAsynchronous: isAsynchronous, schedules: schedules, worlds: worlds)
        let seconds = (clock.now - start) / .seconds(1)
        let memory = try ResidentMemory.now()
        print(
            isAsynchronous ? "async" : "sync", worlds == 1 ? "1 world," : "\(worlds) worlds,",
            "\(report.schedules) schedules,",
            "\(Int(Double(report.schedules) / seconds)) a second,",
            "\(memory.total) KB resident, of them \(memory.file) of files")
    }
}

for worlds in Set([1, cores]).sorted() {
    for isAsynchronous in [false, true] {
        try measure(isAsynchronous: isAsynchronous, worlds: worlds)
    }
}
for part in try ResidentMemory.byFile() where part.resident >= 100 {
    print("  \(part.name): \(part.resident) KB, of them \(part.own) changed")
}
