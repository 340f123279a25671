import Foundation
import LabResults
import SQLAnalysis
import Testing

/// Random numbers that depend only on the seed.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
    }
}

@Suite struct MutatedLogTests {
    private static let words = [
        "CoreData: sql: ", "CoreData: annotation: ", "CoreData: details: SQLite bind[", "'", "\"",
        "(", ")", "<…>", "with values: (", "\n", "\0", "\u{1B}[31m", "99999999999999999999",
        "-1", "nan", "SELECT ", " FROM ", "WHERE t0.", "é", "for 999999999999 rows.", "p", "?",
        "[1:2]", "[", "2024-99-99 99:99:99.9", "TID: 0x", "_Z_intarray", "EXPLAIN QUERY PLAN ",
    ].map { Array($0.utf8) }

    private static func mutate(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0...60, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: place)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: 0)
            case 3:
                if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
            case 4:
                bytes.replaceSubrange(place..<end, with: words.randomElement(using: &random) ?? [])
            default: bytes.removeSubrange(min(place, bytes.count / 2 + place / 2)..<bytes.count)
            }
            if bytes.isEmpty { bytes = [10] }
        }
        return bytes
    }

    /// The number of damaged logs; with `FAULTLINE_THOROUGH`, that of `faultline torture`.
    private static let count =
        ProcessInfo.processInfo.environment["FAULTLINE_THOROUGH"] == nil ? 250 : 1_000

    @Test func `damaged logs are read, and every report adds up`() {
        var random = Random(state: 20_240_501)
        let logs = [
            XcodeLog.library().bytes, XcodeLog.library(prefixes: false).bytes,
            XcodeLog.library(lengthMax: 90).bytes,
        ]
        var read = 0
        for number in 0..<Self.count {
            let bytes = Self.mutate(logs[number % logs.count], &random)
            guard let report = try? SQLLogReader().read(bytes, name: "damaged") else { continue }
            read += 1
            let count = report.shapes.reduce(0) { $0 + $1.count }
            #expect(count == report.totals.statements, "log \(number)")
            #expect(report.findings.allSatisfy { $0.statements > 0 }, "log \(number)")
        }
        // Nearly all damaged logs still contain lines of Core Data.
        #expect(read > Self.count * 9 / 10)
    }
}
