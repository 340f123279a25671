import LabResults

/// How much a run measures.
package struct BenchPreset: Sendable, Hashable {
    /// How long a run may take, and the rounds that it makes in any case.
    package struct TimeLimit: Sendable, Hashable {
        /// Seconds of the whole run, with the data that it makes and its counts.
        package var seconds: Double
        /// Rounds that every variant has however long they take.
        package var floor: Int

        package init(seconds: Double, floor: Int = 3) {
            self.seconds = seconds
            self.floor = floor
        }
    }

    package let name: String
    /// Processes for each side of each variant; the most of them if time is limited. Setting the
    /// number removes the limit, so that all of them run.
    package var rounds: Int { didSet { timeLimit = nil } }
    /// Runs whose times count, in each process. Setting the number removes the limit too.
    package var runs: Int { didSet { timeLimit = nil } }
    /// Runs before those; from two on, more until times are stable.
    package var warmUps: Int
    /// Whether every strategy is also measured at a hundredth and a tenth of its size.
    package var scales = false
    /// The time that ends the rounds; nil if all of them run. Counts do not depend on it.
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

    /// Small data, for counts: under a minute.
    package static let smoke = BenchPreset(name: "smoke", rounds: 3, runs: 3, warmUps: 1)
    /// The data of the files, or less if they say so. A minute ends the rounds: an interval needs
    /// three, and there are five at most.
    package static let quick = BenchPreset(
        name: "quick", rounds: 5, runs: 1, warmUps: 1, timeLimit: TimeLimit(seconds: 60))
    /// The files' data, enough rounds for narrow intervals.
    package static let full: BenchPreset = {
        var preset = BenchPreset(name: "full", rounds: 9, runs: 3, warmUps: 2)
        preset.scales = true
        return preset
    }()

    package static let all = [smoke, quick, full]
}

/// The choices of a command line.
package struct BenchOptions: Sendable {
    package var preset: BenchPreset
    package var overrides: [ParameterOverride]
    /// Seeds the data of every workload, when given, and the bootstrap.
    package var seed: UInt64?
    package var launcher: any SampleLauncher
    /// Measures although times of a debug build mean nothing: for tests, which look at counts.
    package var allowsDebugBuild: Bool
    /// The work that the engine's side does worse, so that a test can see the gate fail.
    package var plant: Plant?
    /// Other programs that do the same work in the same rounds.
    package var peers: [Peer]
    /// The workloads to measure, by name; all if it is empty.
    package var only: Set<String> = []
    /// Whether workloads may name files outside of their folders.
    package var allowsOutside = false
    /// The clock of the time limit.
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

/// Why a run of the bench has no report.
package enum BenchError: Error, Sendable, CustomStringConvertible {
    /// Exit 2: files or parameters cannot be used.
    case input(InputErrors)
    /// Exit 2: the program was built without optimisation.
    case debugBuild
    /// Exit 3: no file holds a workload.
    case nothingToMeasure
    /// Exit 1: engine and C did not do the same work.
    case differentResults(String)
    /// Exit 70: the measurement itself failed.
    case measurement(MeasurementError)

    /// Whether the measurement is wrong, not only incomplete.
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
            "this is a debug build, whose times mean nothing; "
                + "build with `swift build -c release` and run that, or say --allow-debug-build"
        case .nothingToMeasure: "no workload was found; name a workload file or a folder of them"
        case .differentResults(let text): text
        case .measurement(let error): error.description
        }
    }
}
