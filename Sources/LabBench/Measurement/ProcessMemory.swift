import Foundation

/// The kernel's facts about this process, which a measuring process reports with its times.
enum ProcessMemory {
    /// The peak of resident memory since this process began to run this program.
    ///
    /// `VmHWM` starts again with the program, while `ru_maxrss` still contains the parent's peak
    /// from between fork and exec.
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
