import BenchResults
import LabResults

/// Handwritten values for the tests of all reports. They contain special characters of HTML and
/// Markdown, empty parts and large counts.
enum Samples {
    static let token = "lab1:mb-09-count@1a2b3c4d:policy=object-trump:f1 r1 r2 f2"

    static let transcript = Transcript(
        id: "mb-09-object-trump", title: "MB-09 under object trump",
        token: token,
        text: """
            step f1 on C1: insert Mood; set k.moods = 2
            step r1 on C2: insert Mood; set k.moods = 2
            step r2 on C2: save -> ok
            step f2 on C1: save -> ok
            STATE k.moods = 2 (a < b && "c")

            """, timeline: timeline)

    /// A save that another context will merge, and the merge.
    static let timeline = Timeline(
        lanes: [
            .init(.context, "C1", detail: "private queue, policy objectTrump"),
            .init(.context, "V", detail: "main queue, merges automatically"),
            .init(.mailbox, "queue of V"), .init(.store, "store"),
        ],
        start: [
            [.init("k", mark: "version 1, changed", values: ["moods = 2"])],
            [.init("k", mark: "fault")], [],
            [.init("k", mark: "version 1", values: ["moods = 1", "name = \"</script>\""])],
        ],
        steps: [
            .init(
                name: "f2", lane: 0, session: "first",
                lines: [.init("save  → ok"), .init("k is version 2: a < b", isDetail: true)],
                sql: ["UPDATE ZK SET ZMOODS = ? WHERE Z_PK = ? AND Z_OPT = ? -- <1>"],
                changes: [
                    .init(
                        lane: 0, items: [.init("k", mark: "version 2", values: ["moods = 2"])]),
                    .init(lane: 2, items: [.init("~m(C1→V)", mark: "waits")]),
                    .init(
                        lane: 3,
                        items: [
                            .init(
                                "k", mark: "version 2",
                                values: ["moods = 2", "name = \"</script>\""]),
                            .init("m", mark: "version 1", values: ["note = nil"]),
                        ]),
                ]),
            .init(
                name: "~m(C1→V)", lane: 1, lines: [.init("merge f2 of C1")], sql: [],
                changes: [
                    .init(lane: 1, items: []), .init(lane: 2, items: []),
                ]),
        ])

    static let scenario = ScenarioResult(
        name: "mb-09-count", file: "Scenarios/merge-bugs/mb-09-count.yaml",
        sentence: "Two inserts leave a count of 3 <not 2>.",
        references: ["https://github.com/objcio/core-data", "Apple's header"],
        cell: [AxisValue("policy", "object-trump")], mode: .explore,
        schedules: ScheduleCount(predicted: 70, explored: 70, strategy: "exhaustive"),
        outcomes: [
            OutcomeResult(
                observed: [.init("moods", "3")], grade: .acceptable, reason: "both are counted",
                count: 20),
            OutcomeResult(
                observed: [.init("moods", "2"), .init("f2", "ok")], grade: .defect,
                reason: "one | insert is not counted", count: 50, token: token,
                transcript: "mb-09-object-trump", findings: ["F1"]),
        ],
        findings: [
            Finding(
                id: "F1", name: "lost update", adya: "G2-item",
                prose: "C1 wrote moods from a value that C2 had replaced.",
                evidence: ["C1 read k.moods = 1 @1", "C2 wrote k.moods = 2 @2"], token: token,
                transcript: "mb-09-object-trump")
        ],
        verdict: .passed, transcripts: [transcript])

    static let failed = ScenarioResult(
        name: "tour-account", file: "Scenarios/tour/account.yaml",
        sentence: "An account keeps every edit.", mode: .explore,
        schedules: ScheduleCount(
            predicted: 12_600, explored: 5_000, strategy: "exhaustive",
            stoppedAt: "--limit 5000"),
        outcomes: [
            OutcomeResult(
                observed: [.init("balance", "nil")], grade: .unmatched,
                reason: "no line of the file matches", count: 5_000, token: "lab1:tour@0:*:a b")
        ],
        verdict: .failed, reasons: ["an outcome matches no line: (balance = nil)"])

    static let skipped = ScenarioResult(
        name: "bookmarks", file: "Scenarios/real/bookmarks.yaml",
        sentence: "A copy of a real store stays whole.", mode: .run,
        schedules: ScheduleCount(explored: 0, strategy: "as written"), verdict: .skipped,
        reasons: ["the fixtures folder is absent"])

    static let run = RunReport(scenarios: [scenario, failed, skipped])

    static let matrix = MatrixResult(
        title: "Merge bugs by policy", axis: "policy",
        columns: [
            .init(id: "error", title: "error"), .init(id: "object-trump", title: "object trump"),
        ],
        rows: [
            .init(
                id: "MB-09", scenario: "mb-09-count", file: scenario.file,
                sentence: scenario.sentence, references: scenario.references,
                cells: [
                    .init(
                        classification: .error(code: 133_020), text: "moods = 2",
                        reason: "the second save is refused", verdict: .passed),
                    .init(
                        classification: .silentlyLost, text: "moods = 2 | f2 <ok>",
                        reason: "the policy cannot add", token: token,
                        transcript: transcript.id, verdict: .passed),
                ]),
            .init(
                id: "MB-23", scenario: "mb-23-race", file: "Scenarios/merge-bugs/mb-23-race.yaml",
                sentence: "Fetching before inserting keeps a key unique.", references: [],
                cells: [
                    .init(
                        classification: .prevented(how: "constraint"), text: "", verdict: .passed),
                    .init(classification: .correct, text: "rows = 1", verdict: .passed),
                ]),
        ],
        transcripts: [transcript],
        variants: [
            MatrixVariant(
                topology: "as written", store: "sqlite", sample: 25,
                rows: [
                    .init(id: "MB-09", cells: [.init(.error), .init(.lost, text: "moods = 2")]),
                    .init(id: "MB-23", cells: [.init(.prevented), .init(.none)]),
                ])
        ])

    static let environment = Environment(
        machine: "x86_64 virtual machine", cpu: "Example CPU", cores: 2,
        memoryBytes: 8 << 30, operatingSystem: "Debian 12", swift: "6.3.1", sqlite: "3.40.1",
        build: "release")

    static let bench = BenchReport(
        preset: "quick", seed: 7, environment: environment,
        results: [
            BenchResult(
                workload: "prefetch", file: "Workloads/prefetch.yaml",
                sentence: "Reading author.books.count for every author.",
                parameters: [.init("authors", "1000"), .init("books", "100")],
                strategies: [
                    strategy("n-plus-one", selects: 1_001, milliseconds: 90),
                    strategy("prefetch", selects: 2, milliseconds: 12),
                ])
        ])

    /// The report `bench` as a run with a time budget writes it.
    static let benchInTime: BenchReport = {
        var report = bench
        report.timeBudget = BenchTimeBudget(seconds: 60, spentSeconds: 58.23, floor: 3, most: 5)
        return report
    }()

    /// The time budget ended the tests, and one attempt failed.
    static let torture: TortureReport = {
        var kills = TorturePartResult(name: "kills", planned: 6_000)
        (kills.completed, kills.floor, kills.seconds) = (1_400, 18, 9.84)
        kills.endedByTime = true
        kills.counts = ["victims": 1_400, "kills": 1_300]
        kills.failures = [
            TortureFailure(attempt: 7, what: "a save is gone", input: "a < b"),
            TortureFailure(attempt: 8, what: "a file cannot be opened", input: ""),
        ]
        var rounds = TorturePartResult(name: "processes", planned: 4)
        (rounds.completed, rounds.floor, rounds.seconds) = (4, 4, 50)
        var report = TortureReport(preset: "short", seed: 1, parts: [kills, rounds])
        report.timeBudgetSeconds = 60
        return report
    }()

    private static func strategy(
        _ name: String, selects: Int, milliseconds: UInt64
    ) -> StrategyResult {
        let text = "SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE t0.ZAUTHOR = ? AND t0.ZA < ?"
        return StrategyResult(
            name: name, sentence: "Reads the count through \(name).",
            counts: BenchCounts(
                statements: ["select": selects], rows: 101_000, vmSteps: 2_345_678, faults: 1_000,
                rowCacheHits: 0, relationshipFaults: selects - 1, prefetches: 0),
            statements: [
                StatementCount(kind: "select", text: text, count: selects - 1),
                StatementCount(kind: "select", text: "SELECT 0 FROM ZAUTHOR", count: 1),
            ],
            time: timing(milliseconds), peakMemoryBytes: 12_345_678,
            twin: TwinResult(
                sentence: "The same statements, prepared once.",
                statements: [StatementCount(kind: "select", text: text, count: selects)],
                rows: 101_000, vmSteps: 2_000_000, time: timing(milliseconds / 3),
                ratio: Ratio(median: 3, low: 2.9, high: 3.2), checksum: "c0ffee"),
            checksum: "c0ffee",
            expectations: [
                CountExpectation(
                    count: "select", expression: "authors + 1", expected: 1_001, seen: selects)
            ])
    }

    private static func timing(_ milliseconds: UInt64) -> Timing {
        let median = milliseconds * 1_000_000
        return Timing(
            samplesNanoseconds: [median - 1_000_000, median, median + 2_000_000],
            medianNanoseconds: median, lowNanoseconds: median - 1_000_000,
            highNanoseconds: median + 2_000_000)
    }

    static let gate = GateVerdict(
        status: .failed, baseline: "Workloads/Baselines/smoke.json", compared: 240,
        differences: [
            GateDifference(
                effect: .regression, workload: "prefetch", strategy: "prefetch",
                metric: "statements.select", baseline: "2", current: "3",
                statements: ["+1 SELECT 1 FROM ZBOOK WHERE Z_PK < ?"],
                shapes: ["SELECT 1 FROM ZBOOK WHERE Z_PK < ?"],
                message: "one more SELECT than the baseline"),
            GateDifference(
                effect: .regression, workload: "prefetch", strategy: "prefetch", metric: "rows",
                baseline: "100", current: "101", message: "rows: expected 100, seen 101"),
            GateDifference(
                effect: .regression, workload: "prefetch", strategy: "batch=20",
                metric: "statements.select", baseline: "2", current: "3",
                statements: ["+1 SELECT 1 FROM ZBOOK WHERE Z_PK < ?"],
                shapes: ["SELECT 1 FROM ZBOOK WHERE Z_PK < ?"],
                message: "one more SELECT than the baseline"),
        ],
        missing: ["insert / one save"],
        subjects: [
            GateSubject(
                workload: "prefetch", strategy: "prefetch", file: "Sources/ShelfBench/main.swift",
                line: 12, nanoseconds: 12_500_000, figures: ["statements.select", "rows", "faults"])
        ])
}
