import Foundation
import Glibc

/// Information about a process from the kernel.
enum ProcessFacts {
    /// The memory that a process uses; 0 if it has ended.
    static func residentBytes(of process: pid_t) -> Int {
        guard let text = contents("/proc/\(process)/statm") else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The CPU time of a process in seconds.
    static func processorSeconds(of process: pid_t) -> Double {
        // Fields are counted from the end of the program's name, which may contain spaces.
        guard let text = contents("/proc/\(process)/stat"), let end = text.lastIndex(of: ")")
        else { return 0 }
        let fields = text[end...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13])
        else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Reads a file below `/proc`. The kernel reports a size of 0 for such files, so Foundation
    /// cannot read them.
    private static func contents(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
