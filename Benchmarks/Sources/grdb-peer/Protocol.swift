import Foundation

/// What the bench and a peer tell each other: one JSON object on standard input, one on
/// standard output. Faultline's `SampleRequest` and `SampleReply` have the same fields.
struct Request: Decodable {
    struct Parameter: Decodable {
        var name: String
        var value: String
    }

    /// `counting` for one run, `timing` for many.
    var pass: String
    var operation: String
    var parameters: [Parameter]
    var warmUps: Int
    var runs: Int
    /// The file with the data.
    var library: String
    var folder: String
    /// An empty file in the schema, for inserts.
    var emptyFile: String?

    func integer(_ name: String) -> Int {
        parameters.first { $0.name == name }.flatMap { Int($0.value) } ?? 0
    }

    func word(_ name: String) -> String {
        parameters.first { $0.name == name }?.value ?? ""
    }
}

struct Reply: Encodable {
    /// A peer counts nothing.
    struct Counts: Encodable {
        var statements: [String: Int] = [:]
        var rows = 0
        var vmSteps = 0
        var faults = 0
        var rowCacheHits = 0
        var relationshipFaults = 0
        var prefetches = 0
    }

    var nanoseconds: [Int64]
    var checksum: String
    var counts = Counts()
    var statements: [String] = []
    var peakMemoryBytes: Int
    var name: String
    var sentence: String
}

/// Work that a peer does not know ends it with this.
struct Refusal: Error, CustomStringConvertible {
    var description: String
}

enum Memory {
    /// The largest resident memory of this program so far.
    static func peakBytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
        }
        return 0
    }
}
