import Foundation
import LabFiles

/// The limits of a gate's figures.
package struct Thresholds: Sendable {
    /// The name of the thresholds file in a folder of workloads.
    package static let fileName = WorkloadFile.thresholdsName

    /// A limit for a figure of one workload or of all workloads.
    package struct Limit: Sendable {
        var workload: String?
        var strategy: String?
        var metric: Metric
        /// The maximum ratio of the figure to that of the baseline. For ``Metric/ratioToC``, the
        /// maximum ratio of the time to that of the C baseline.
        var atMost: Double
        /// The reason for this limit.
        var reason: String
    }

    /// The figures that can have a limit.
    package enum Metric: String, Sendable, CaseIterable {
        case time
        case ratioToC = "ratio-to-c"
        case ratioToYardstick = "ratio-to-yardstick"
        case statements, rows, faults
        case rowCacheHits = "row-cache-hits"
        case relationshipFaults = "relationship-faults"
        case prefetches
        case vmSteps = "vm-steps"
        case allocations

        /// The default limit of a figure. The number of allocations varies slightly with the hash
        /// seed and the order of threads. Times vary from day to day, even if they are divided by
        /// the yardstick's time.
        var usualFactor: Double {
            switch self {
            case .allocations: 1.01
            case .time: Thresholds.usualTime
            case .ratioToYardstick: 1.5
            default: 1
            }
        }
    }

    package var limits: [Limit] = []

    /// Creates the default limits. Counts are exact, allocations may grow by 1 %, and times by 10
    /// %. The ratio to C has no limit.
    package init() {}

    /// The default of the smallest change of a time that matters, as a factor.
    package static let usualTime = 1.1

    /// The limit for a figure. If several entries of the file match, the last one applies.
    func limit(_ metric: Metric, _ workload: String, _ strategy: String) -> Limit? {
        limits.last {
            $0.metric == metric && ($0.workload ?? workload) == workload
                && ($0.strategy ?? strategy) == strategy
        }
    }

    func allowed(_ metric: Metric, _ workload: String, _ strategy: String, baseline: Int) -> Int {
        let factor = limit(metric, workload, strategy)?.atMost ?? metric.usualFactor
        return Int((Double(baseline) * factor).rounded(.down))
    }
}

extension Thresholds {
    private static let keys = ["workload", "strategy", "metric", "at-most", "reason"]

    package static func read(_ file: String) throws(InputError) -> Thresholds {
        try thresholds(YAMLTree.read(file))
    }

    package static func parse(_ text: String, file: String) throws(InputError) -> Thresholds {
        try thresholds(YAMLTree.parse(Data(text.utf8), file: file))
    }

    private static func thresholds(_ tree: YAMLTree) throws(InputError) -> Thresholds {
        var result = Thresholds()
        var version: YAMLTree?
        for (key, value) in try tree.mapping("a file of thresholds") {
            switch try key.text("the key") {
            case "version": version = value
            case "limits":
                for element in value.elements { result.limits.append(try limit(element)) }
            case let name:
                throw key.error("`\(name)` does not belong here", "write `version:` or `limits:`")
            }
        }
        guard let version, try version.text("version") == "1" else {
            throw (version ?? tree).error("the version is missing or unknown", "write `version: 1`")
        }
        return result
    }

    private static func limit(_ tree: YAMLTree) throws(InputError) -> Limit {
        var entries: [String: YAMLTree] = [:]
        for (key, value) in try tree.mapping("a limit") {
            let name = try key.text("the key")
            guard keys.contains(name) else {
                throw key.error(
                    "`\(name)` is not a key of a limit",
                    "write one of \(keys.joined(separator: ", "))")
            }
            guard entries.updateValue(value, forKey: name) == nil else {
                throw key.error("`\(name)` appears twice", "keep one of them")
            }
        }
        func required(_ key: String) throws(InputError) -> (YAMLTree, String) {
            guard let value = entries[key] else {
                throw tree.error("the key `\(key)` is missing", "write `\(key): …`")
            }
            return (value, try value.text(key))
        }
        let (metricPlace, metricName) = try required("metric")
        guard let metric = Metric(rawValue: metricName) else {
            let known = Metric.allCases.map(\.rawValue).joined(separator: ", ")
            throw metricPlace.error("`\(metricName)` is not a figure", "write one of \(known)")
        }
        let (place, text) = try required("at-most")
        guard let factor = Double(text), (1...1_000).contains(factor) else {
            throw place.error(
                "`\(text)` is not a limit", "write a factor from 1 to 1000, such as 1.1")
        }
        return Limit(
            workload: try entries["workload"]?.text("workload"),
            strategy: try entries["strategy"]?.text("strategy"), metric: metric, atMost: factor,
            reason: try required("reason").1)
    }
}
