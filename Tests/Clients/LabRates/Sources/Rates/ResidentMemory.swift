import Foundation

/// What of this process is in memory, in kilobytes, as the kernel tells it.
public struct ResidentMemory: Sendable {
    /// All of it.
    public let total: Int
    /// What no file holds: heap and stacks, and pages of files that were changed.
    public let anonymous: Int
    /// Pages of programs and libraries as they are on disk; other processes share them.
    public let file: Int

    /// What is resident now.
    public static func now() throws -> ResidentMemory {
        let status = try text("/proc/self/status")
        func value(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        return ResidentMemory(
            total: value("VmRSS"), anonymous: value("RssAnon"), file: value("RssFile"))
    }

    /// The resident kilobytes of each file, and how many of them are this process's alone; the
    /// largest come first.
    public static func byFile() throws -> [(name: String, resident: Int, own: Int)] {
        let maps = try text("/proc/self/smaps")
        var sums: [String: (resident: Int, own: Int)] = [:]
        var name = ""
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard let first = words.first else { continue }
            if !first.hasSuffix(":") {
                let path = words.count > 5 ? words[5].split(separator: "/").last : nil
                name = path.map(String.init) ?? "without a file"
            } else if words.count > 1, let size = Int(words[1]) {
                if first == "Rss:" { sums[name, default: (0, 0)].resident += size }
                if first == "Private_Dirty:" { sums[name, default: (0, 0)].own += size }
            }
        }
        return sums.map { ($0.key, $0.value.resident, $0.value.own) }
            .sorted { ($0.resident, $0.name) > ($1.resident, $1.name) }
    }

    /// The kernel gives such files in parts, of which each read gets one.
    private static func text(_ path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var bytes = Data()
        while let part = try file.read(upToCount: 4_096), !part.isEmpty { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }
}
