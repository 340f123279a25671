import Foundation

/// What the kernel knows about this process.
///
/// A measuring process reports it with its times.
enum ProcessMemory {
    /// The largest resident memory that this process has had since it began to run this program.
    ///
    /// `VmHWM` begins anew with the program, while `ru_maxrss` still holds the parent's peak from
    /// between fork and exec.
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
