import BenchResults
import Foundation

/// Collects the facts about the machine and the build for a report.
package enum MachineFacts {
    /// Whether this program was built without optimisation. Its times are then meaningless.
    package static var isDebugBuild: Bool {
        var isDebug = false
        // Only debug builds evaluate the argument of `assert`.
        assert(
            {
                isDebug = true; return true
            }())
        return isDebug
    }

    /// The machine, and the versions of this program and its libraries.
    package static func environment() -> Environment {
        let cpuInfo = text("/proc/cpuinfo")
        let isVirtual = field("flags", in: cpuInfo).split(separator: " ").contains("hypervisor")
        return Environment(
            machine: architecture + (isVirtual ? " virtual machine" : ""),
            cpu: field("model name", in: cpuInfo),
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: Int(clamping: ProcessInfo.processInfo.physicalMemory),
            operatingSystem: operatingSystem, swift: compiler, sqlite: SQLiteFacts.line,
            build: isDebugBuild ? "debug" : "release")
    }

    /// Conditions that currently make the machine's times less precise, as sentences.
    package static func warnings() -> [String] {
        var warnings: [String] = []
        let load = text("/proc/loadavg").split(separator: " ").first.flatMap { Double($0) } ?? 0
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        if load > cores / 2 {
            warnings.append(
                "Other programs are running: the load is \(load) on \(Int(cores)) cores. Times"
                    + " vary; compare only ratios.")
        }
        let governor = text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        if !governor.isEmpty, governor != "performance" {
            warnings.append(
                "The processor changes its frequency (governor \(governor)); set `performance` "
                    + "for steadier times.")
        }
        let flags = field("flags", in: text("/proc/cpuinfo"))
        if flags.split(separator: " ").contains("hypervisor") {
            warnings.append(
                "This is a virtual machine: whole processes may run up to 1.8 times slower at "
                    + "random, so only medians of many processes are comparable.")
        }
        return warnings
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "other"
        #endif
    }

    private static var operatingSystem: String {
        let name = text("/etc/os-release").split(separator: "\n")
            .first { $0.hasPrefix("PRETTY_NAME=") }
            .map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } }
        let kernel = text("/proc/sys/kernel/osrelease").filter { $0 != "\n" }
        return "\(name ?? "Linux"), kernel \(kernel)"
    }

    private static var compiler: String {
        #if compiler(>=6.5)
            "Swift 6.5 or later"
        #elseif compiler(>=6.4)
            "Swift 6.4"
        #elseif compiler(>=6.3.2)
            "Swift 6.3.2 or later"
        #elseif compiler(>=6.3.1)
            "Swift 6.3.1"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #else
            "Swift 6.2"
        #endif
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    private static func field(_ name: String, in text: String) -> String {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { return parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return "unknown"
    }
}
