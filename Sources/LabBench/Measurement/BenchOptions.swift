import LabFiles

/// The preset of a benchmark run, with the numbers of rounds, runs and warm-ups.
package struct BenchPreset: Sendable, Hashable {
    /// The time limit of a run, and its minimum number of rounds.
    package struct TimeLimit: Sendable, Hashable {
        /// The limit for the whole run in seconds. It includes the preparation of data and the
        /// counting runs.
        package var seconds: Double
        /// The minimum number of rounds of every variant. They run even if the time is up.
        package var floor: Int

        package init(seconds: Double, floor: Int = 3) {
            self.seconds = seconds
            self.floor = floor
        }
    }

    package let name: String
    /// The number of rounds; the maximum number if time is limited. A round starts one process for
    /// each side of each variant. Setting this removes the time limit.
    package var rounds: Int { didSet { timeLimit = nil } }
    /// The number of timed runs in each process. Setting this removes the time limit.
    package var runs: Int { didSet { timeLimit = nil } }
    /// The number of warm-up runs. If it is at least 2, warm-ups continue until the times are
    /// stable.
    package var warmUps: Int
    /// Whether every strategy is also measured at a hundredth and a tenth of its size.
    package var scales = false
    /// The time limit for the rounds; nil if all rounds run. Counts do not depend on it.
    package var timeLimit: TimeLimit?

    package init(
        name: String, rounds: Int, runs: Int, warmUps: Int, timeLimit: TimeLimit? = nil
    ) {
        self.name = name
        self.rounds = rounds
        self.runs = runs
        self.warmUps = warmUps
        self.timeLimit = timeLimit
    }

    /// Measures counts with small data, in less than a minute.
    package static let smoke = BenchPreset(name: "smoke", rounds: 3, runs: 3, warmUps: 1)
    /// Uses the data sizes in the workload files, or the smaller sizes that they state for this
    /// preset. Rounds end after a minute. At least three and at most five run.
    package static let quick = BenchPreset(
        name: "quick", rounds: 5, runs: 1, warmUps: 1, timeLimit: TimeLimit(seconds: 60))
    /// Uses the full data sizes, with enough rounds for narrow intervals.
    package static let full: BenchPreset = {
        var preset = BenchPreset(name: "full", rounds: 9, runs: 3, warmUps: 2)
        preset.scales = true
        return preset
    }()

    package static let all = [smoke, quick, full]
}

/// The options of a benchmark run, as specified on the command line.
package struct BenchOptions: Sendable {
    package var preset: BenchPreset
    package var overrides: [ParameterOverride]
    /// The seed of the bootstrap and of every workload's data; nil for the default seeds.
    package var seed: UInt64?
    package var launcher: any SampleLauncher
    /// Whether a debug build may measure. Its times are meaningless, but tests can check its
    /// counts.
    package var allowsDebugBuild: Bool
    /// A deliberate regression of the engine side. Tests check that the gate detects it.
    package var plant: Plant?
    /// Other programs that do the same work in the same rounds, for comparison.
    package var peers: [Peer]
    /// The names of the workloads to measure; empty for all.
    package var only: Set<String> = []
    package var allowsOutside = false
    /// The clock for the time limit.
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }

    package init(
        preset: BenchPreset = .quick, overrides: [ParameterOverride] = [], seed: UInt64? = nil,
        launcher: any SampleLauncher = ProcessLauncher(), allowsDebugBuild: Bool = false,
        plant: Plant? = nil, peers: [Peer] = []
    ) {
        self.preset = preset
        self.overrides = overrides
        self.seed = seed
        self.launcher = launcher
        self.allowsDebugBuild = allowsDebugBuild
        self.plant = plant
        self.peers = peers
    }
}

/// The reason why a benchmark run failed to produce a report.
package enum BenchError: Error, Sendable, CustomStringConvertible {
    /// Exit 2: files or parameters cannot be used.
    case input(InputErrors)
    /// Exit 2: the program was built without optimisation.
    case debugBuild
    /// Exit 3: no file contains a workload.
    case nothingToMeasure
    /// Exit 1: the engine and the C baseline did not compute the same result.
    case differentResults(String)
    /// Exit 70: the measurement itself failed.
    case measurement(MeasurementError)

    /// Whether a result is wrong, and not only incomplete.
    var isWrongResult: Bool { if case .differentResults = self { true } else { false } }

    package var exitCode: Int32 {
        switch self {
        case .input, .debugBuild: 2
        case .nothingToMeasure: 3
        case .differentResults: 1
        case .measurement: 70
        }
    }

    package var description: String {
        switch self {
        case .input(let errors): errors.description
        case .debugBuild:
            "this is a debug build, whose times are meaningless; "
                + "build with `swift build -c release` and run that, or add --allow-debug-build"
        case .nothingToMeasure:
            "no workload was found; name a workload file or a folder of workload files"
        case .differentResults(let text): text
        case .measurement(let error): error.description
        }
    }
}
