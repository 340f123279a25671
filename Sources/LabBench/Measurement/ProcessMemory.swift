import Foundation

/// The kernel's statistics about the memory of this process, which measuring processes report.
enum ProcessMemory {
    /// The peak of resident memory since this process executed this program.
    ///
    /// The kernel resets `VmHWM` on exec, but not `ru_maxrss`, which can still contain the parent's
    /// peak from before exec.
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
