import Foundation

/// The resident memory of this process in kilobytes, from the kernel.
public struct ResidentMemory: Sendable {
    /// The total resident memory.
    public let total: Int
    /// Memory that is not backed by a file: heap, stacks, and modified pages of files.
    public let anonymous: Int
    /// Unmodified pages of programs and libraries, which other processes can share.
    public let file: Int

    /// Reads the current values.
    public static func now() throws -> ResidentMemory {
        let status = try text("/proc/self/status")
        func value(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        return ResidentMemory(
            total: value("VmRSS"), anonymous: value("RssAnon"), file: value("RssFile"))
    }

    /// The resident kilobytes of each file, and how many of them only this process uses. The
    /// largest file is first.
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

    /// The kernel may return only a part of the file for each read.
    private static func text(_ path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var bytes = Data()
        while let part = try file.read(upToCount: 4_096), !part.isEmpty { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }
}
