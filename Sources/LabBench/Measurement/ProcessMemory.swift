import Foundation

/// The kernel's numbers about the memory of this process.
enum ProcessMemory {
    /// The peak of resident memory since this process executed this program.
    ///
    /// If a process executes a program, the kernel resets `VmHWM`, but not `ru_maxrss`. The latter
    /// can contain the parent's peak.
    static func peakBytes() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
            return 0
        }
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let digits = line.filter(\.isNumber)
            return (Int(digits) ?? 0) * 1_024
        }
        return 0
    }
}
