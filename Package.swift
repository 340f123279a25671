// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The toolchain's folder of compiled SwiftSyntax libraries. If the toolchain has no such folder,
// the package swift-syntax is compiled instead.
let toolchainSyntax = hostLibraries()

/// Returns the folder of SwiftSyntax in the toolchain that reads this manifest, or nil if the
/// toolchain has no such folder.
func hostLibraries() -> String? {
    #if compiler(>=6.3)
        // The library that declares `Package` is in the toolchain's folder
        // `lib/swift/pm/ManifestAPI`.
        guard
            let maps = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile(),
            let line = String(decoding: maps, as: UTF8.self).split(separator: "\n").first(where: {
                $0.hasSuffix("/pm/ManifestAPI/libPackageDescription.so")
            }), let start = line.firstIndex(of: "/"), let end = line.range(of: "/pm/ManifestAPI")
        else { return nil }
        let folder = line[start..<end.lowerBound] + "/host"
        let files = ["SwiftSyntax.swiftmodule", "libSwiftSyntax.so", "libSwiftParser.so"]
        let exists = files.allSatisfy { FileManager.default.fileExists(atPath: folder + "/" + $0) }
        return exists ? String(folder) : nil
    #else
        // Earlier versions of SwiftPM refuse dependencies with unsafe flags.
        return nil
    #endif
}

/// The dependencies of a target that reads Swift sources, and the compiler settings that find
/// SwiftSyntax.
let syntax: [Target.Dependency] =
    toolchainSyntax != nil
    ? []
    : [
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
    ]
let findsSyntax: [SwiftSetting] = toolchainSyntax.map { [.unsafeFlags(["-I", $0])] } ?? []
let linksSyntax: [LinkerSetting] =
    toolchainSyntax.map { folder in
        [
            .unsafeFlags(["-L", folder, "-Xlinker", "-rpath", "-Xlinker", folder]),
            .linkedLibrary("SwiftParser"), .linkedLibrary("SwiftSyntax"),
        ]
    } ?? []

// The settings of every Swift target.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    // `any` must be written, so that every existential type is visible in the source.
    .enableUpcomingFeature("ExistentialAny"),
    // A file sees only the members of modules that it imports, so it must import every dependency.
    .enableUpcomingFeature("MemberImportVisibility"),
    // Compiles the code that introduces faults on purpose for mutation tests. Release builds omit
    // this code.
    .define("FAULTLINE_MUTATIONS", .when(configuration: .debug)),
]

// Modules without hot loops compile in half the time without optimisation.
let unoptimised: [SwiftSetting] =
    strict
    + (toolchainSyntax != nil ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : [])

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], swiftSettings: [SwiftSetting] = strict
) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "faultline",
    products: [
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "CoreDataDocuments", targets: ["CoreDataDocuments"]),
        .library(name: "CoreDataPostgreSQL", targets: ["CoreDataPostgreSQL"]),
        .library(name: "LabRunner", targets: ["LabRunner", "LabTesting"]),
        .library(name: "LabXCTest", targets: ["LabXCTest"]),
        .library(name: "LabCommands", targets: ["LabCommands"]),
        .library(name: "FaultlineBench", targets: ["FaultlineBench"]),
        .library(name: "FaultlineRecorder", targets: ["FaultlineRecorder"]),
        .library(name: "FaultlineRecorderTesting", targets: ["FaultlineRecorderTesting"]),
        .executable(name: "faultline", targets: ["faultline"]),
        .executable(name: "faultline-torture", targets: ["faultline-torture"]),
        .executable(name: "coredata-sources", targets: ["coredata-sources"]),
        .plugin(name: "CoreDataSources", targets: ["CoreDataSources"]),
        .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
        .plugin(name: "FaultlineGate", targets: ["FaultlineGate"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ]
        + (toolchainSyntax != nil
            ? [] : [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")]),
    targets: [
        // C modules of the lowest layer
        .target(name: "CRowFormat"),
        .target(
            name: "CSQLite", dependencies: ["CRowFormat"],
            linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CPostgreSQL"),
        .target(name: "CRuntimeShims"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CWaitHooks", dependencies: ["CRuntimeShims"]),
        .target(name: "CYardstick", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "CBaseline", dependencies: ["CYardstick"],
            linkerSettings: [.linkedLibrary("sqlite3")]),

        // Swift modules of the lowest layer
        module("CoreDataTrace"),
        module("CoreDataSQLite", ["CSQLite", "CoreDataTrace"]),
        module("CoreDataPostgreSQLClient", ["CPostgreSQL", "CoreDataTrace"]),
        module("CoreDataPredicate", ["CoreDataTrace", "CRuntimeShims"]),
        module("CoreDataModel", ["CoreDataPredicate", "CoreDataTrace", "CZlib"]),
        module("CoreDataSQL", ["CoreDataModel", "CoreDataPredicate"]),

        // The engine and its umbrella
        module(
            "CoreDataStore",
            [
                "CoreDataModel", "CoreDataPredicate", "CoreDataSQL", "CoreDataSQLite",
                "CoreDataTrace", "CRowFormat", "CRuntimeShims",
            ]),
        module(
            "CoreDataEngine",
            [
                "CoreDataModel", "CoreDataPredicate", "CoreDataStore", "CoreDataTrace",
                "CRuntimeShims",
            ]),
        module(
            "CoreData", ["CoreDataEngine", "CoreDataModel", "CoreDataPredicate", "CoreDataStore"]),
        // Stores on a PostgreSQL server
        .target(name: "CPostgreSQLStart"),
        module(
            "CoreDataPostgreSQL",
            [
                "CoreDataModel", "CoreDataPostgreSQLClient", "CoreDataPredicate", "CoreDataSQL",
                "CoreDataStore", "CoreDataTrace", "CPostgreSQLStart",
            ]),
        // Servers in temporary folders, for tests and for the lab
        module("LocalPostgreSQL", ["CoreDataPostgreSQLClient", "LabFiles"]),
        // Document classes that use a context
        module(
            "CoreDataDocuments",
            [
                "CoreData", "CoreDataEngine", "CoreDataModel", "CoreDataStore", "CoreDataTrace",
                "CRuntimeShims",
            ]),

        // Records the operations of a program's contexts as scenario files.
        module("ContextHistory"),
        module("ScenarioWords"),
        module("ScenarioWriting", ["ContextHistory", "ScenarioWords"], swiftSettings: unoptimised),
        module(
            "FaultlineRecorder",
            [
                "ContextHistory", "CoreData", "CoreDataEngine", "CoreDataModel",
                "CoreDataPredicate", "CoreDataStore", "CoreDataTrace", "CRuntimeShims",
                "ScenarioWriting",
            ]),

        .target(name: "CRecorderStart"),
        module(
            "FaultlineRecorderTesting", ["CRecorderStart", "CoreDataTrace", "FaultlineRecorder"]),

        // The lab and the bench
        module("LabFiles", [.product(name: "Yams", package: "Yams")]),
        module(
            "LabScenario",
            [
                "ContextHistory", "LabFiles", "ScenarioWords",
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: unoptimised),
        module("LabSchedule"),
        module("LabCheck", ["ContextHistory"]),
        module("LabResults", ["LabFiles"]),
        module("BenchResults", ["LabFiles"]),
        module(
            "LabRunner",
            [
                "CRuntimeShims", "CWaitHooks", "ContextHistory", "FaultlineRecorder", "LabFiles",
                "LabScenario", "LabSchedule", "LabCheck",
                "LabReport", "LabResults", "ReportParts", "CoreData", "CoreDataEngine",
                "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite", "CoreDataStore",
                "CoreDataTrace",
            ]),
        module(
            "LabBench",
            [
                "BenchResults", "CoreData", "CoreDataEngine", "CoreDataModel", "CoreDataPredicate",
                "CoreDataSQLite", "CoreDataStore", "CoreDataTrace", "CYardstick", "LabFiles",
                .product(name: "Yams", package: "Yams"),
            ]),
        // The operations with a counterpart in C. A program with custom workloads is built without
        // them.
        module(
            "BenchOperations", ["BenchResults", "CBaseline", "CoreData", "CYardstick", "LabBench"]),
        module("LabTesting", ["LabRunner"]),
        module(
            "LabPostgreSQL",
            [
                "ContextHistory", "CoreDataModel", "CoreDataPostgreSQL", "CoreDataPostgreSQLClient",
                "CoreDataStore", "LabFiles", "LabRunner", "LocalPostgreSQL",
            ]),
        // Support for XCTest, which no other module of the lab links.
        .target(name: "CXCTestHooks"),
        module("LabXCTest", ["LabRunner", "CoreDataTrace", "CXCTestHooks"]),
        module("ReportParts", swiftSettings: unoptimised),
        module(
            "LabReport", ["LabFiles", "LabResults", "ReportParts"], swiftSettings: unoptimised),
        module(
            "BenchReporting", ["BenchResults", "LabFiles", "ReportParts"],
            swiftSettings: unoptimised),
        module(
            "SQLAnalysis",
            [
                "CoreDataEngine", "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite",
                "CoreDataStore", "CoreDataTrace", "LabFiles", "LabResults", "ModelGeneration",
            ]),

        // Stress tests of the engine. Only random scenarios need the runner, so crashes and fuzzed
        // input are compiled while the runner is compiled.
        module("TortureCampaigns", ["LabFiles", "LabResults"]),
        .target(
            name: "CrashAttacks",
            dependencies: [
                "CoreData", "CoreDataDocuments", "CoreDataModel", "CoreDataSQLite", "CoreDataTrace",
                "LabBench", "LabFiles", "TortureCampaigns",
            ],
            // An attack compiles this C file at run time, so an installed tool must contain the
            // source.
            resources: [.embedInCode("Shim/Shim.c")], swiftSettings: strict),
        module(
            "FuzzAttacks",
            [
                "BenchOperations", "BenchReporting", "BenchResults", "CoreData", "CoreDataEngine",
                "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite", "CoreDataStore",
                "CoreDataTrace", "LabBench", "LabFiles", "LabReport", "LabResults", "LabScenario",
                "LabSchedule", "ReportParts", "SQLAnalysis", "TortureCampaigns",
            ]),
        module(
            "LabTorture",
            [
                "CoreData", "CoreDataEngine", "CoreDataPredicate", "CoreDataStore",
                "CoreDataTrace", "CrashAttacks", "FuzzAttacks", "LabFiles", "LabResults",
                "LabRunner", "LabScenario", "LabSchedule", "TortureCampaigns",
            ]),

        // Benchmarks of other packages
        module("FaultlineBench", ["BenchCommands", "CoreData", "LabBench"]),
        .plugin(
            name: "FaultlineGate",
            capability: .command(
                intent: .custom(
                    verb: "faultline-gate",
                    description: "Measures the package's own workloads and gates them."),
                permissions: [
                    .writeToPackageDirectory(
                        reason: "results, JUnit files and builds of earlier commits are kept there")
                ])),

        // Command lines. The bench's command line does not depend on the lab's, so that a program
        // with custom workloads is built without the lab.
        module(
            "CommandLineSupport",
            [argumentParser, "CoreDataTrace", "LabFiles", "ReportParts"],
            swiftSettings: unoptimised),
        module(
            "BenchCommands",
            [
                argumentParser, "BenchReporting", "BenchResults", "CommandLineSupport", "LabBench",
                "LabFiles", "ReportParts",
            ], swiftSettings: unoptimised),
        module(
            "LabCommands",
            [
                argumentParser, "CommandLineSupport", "LabFiles", "LabReport", "LabResults",
                "LabRunner", "ReportParts",
            ], swiftSettings: unoptimised),
        .executableTarget(
            name: "faultline",
            dependencies: [
                argumentParser, "BenchCommands", "BenchOperations", "BenchReporting",
                "BenchResults", "CommandLineSupport", "CoreDataPostgreSQL", "LabBench",
                "LabCommands", "LabFiles", "LabPostgreSQL", "LabReport", "LabResults", "LabRunner",
                "ReportParts",
                // No source imports the recorder; it is linked so that FAULTLINE_RECORD can record
                // the tool's contexts.
                "FaultlineRecorder",
                "SQLAnalysis",
            ],
            swiftSettings: unoptimised),
        // The program that contains the stress tests. `faultline` runs it as a separate program, so
        // that no other command has to wait until it is built.
        .executableTarget(
            name: "faultline-torture",
            dependencies: [
                argumentParser, "CommandLineSupport", "CrashAttacks", "FuzzAttacks", "LabCommands",
                "LabFiles", "LabReport", "LabResults", "LabRunner", "LabTorture", "SQLAnalysis",
                "TortureCampaigns",
            ],
            swiftSettings: unoptimised),

        // Tools that rewrite the sources of Xcode projects. Only these targets use SwiftSyntax.
        .target(
            name: "SourceRewriting", dependencies: syntax, swiftSettings: strict + findsSyntax,
            linkerSettings: linksSyntax),
        .executableTarget(
            name: "coredata-sources",
            dependencies: ["CoreDataModel", "CoreDataTrace", "ModelGeneration", "SourceRewriting"],
            swiftSettings: strict + findsSyntax),
        .plugin(
            name: "CoreDataSources", capability: .buildTool(),
            dependencies: ["coredata-sources"]),
        // Tools that compile the models of Xcode projects and generate their classes while a
        // package is built.
        module("ModelGeneration", ["CoreDataModel"], swiftSettings: unoptimised),
        .executableTarget(
            name: "coredata-model",
            dependencies: ["CoreDataModel", "CoreDataTrace", "ModelGeneration"],
            swiftSettings: strict),
        .plugin(
            name: "CoreDataModelPlugin", capability: .buildTool(),
            dependencies: ["coredata-model"]),

        tests("CoreDataSQLiteTests", ["CoreDataSQLite"]),
        // Starts PostgreSQL servers for tests.
        .target(
            name: "PostgreSQLTestSupport",
            dependencies: ["CoreDataPostgreSQLClient", "LabFiles", "LocalPostgreSQL"],
            path: "Tests/PostgreSQLTestSupport", swiftSettings: strict),
        tests(
            "CoreDataPostgreSQLClientTests",
            ["CoreDataPostgreSQLClient", "CoreDataTrace", "PostgreSQLTestSupport"]),
        tests("CoreDataPredicateTests", ["CoreDataPredicate", "CoreDataTrace"]),
        tests("CoreDataModelTests", ["CoreDataModel", "CoreDataPredicate"]),
        tests("CoreDataSQLTests", ["CoreDataModel", "CoreDataPredicate", "CoreDataSQL"]),
        // Helpers that several test targets share.
        .target(
            name: "TestSupport",
            dependencies: ["CoreDataModel", "CoreDataSQLite", "CoreDataTrace"],
            path: "Tests/TestSupport", swiftSettings: strict),
        tests(
            "CoreDataStoreTests",
            [
                "CoreDataModel", "CoreDataPredicate", "CoreDataSQL", "CoreDataSQLite",
                "CoreDataStore", "CoreDataTrace", "CRuntimeShims", "TestSupport",
            ]),
        tests(
            "CoreDataEngineTests",
            [
                "CoreDataEngine", "CoreDataModel", "CoreDataPostgreSQL",
                "CoreDataPostgreSQLClient", "CoreDataPredicate", "CoreDataSQLite",
                "CoreDataStore", "CoreDataTrace", "CRuntimeShims", "PostgreSQLTestSupport",
                "TestSupport",
            ]),
        tests("ConformanceTests", ["CoreData", "CoreDataSQLite", "TestSupport"]),
        tests("CoreDataDocumentsTests", ["CoreData", "CoreDataDocuments"]),
        tests(
            "PropertyTests",
            [
                "CoreData", "CoreDataEngine", "CoreDataModel", "CoreDataSQLite", "CoreDataStore",
                "TestSupport",
            ]),
        tests("LabFilesTests", ["LabFiles"]),
        tests("LabScenarioTests", ["ContextHistory", "LabFiles", "LabScenario"]),
        tests("LabScheduleTests", ["LabSchedule"]),
        tests("LabCheckTests", ["ContextHistory", "LabCheck", "TestSupport"]),
        tests(
            "LabRunnerTests",
            [
                "CRuntimeShims", "CoreData", "LabFiles", "LabResults", "LabRunner",
                "LabScenario", "LabSchedule",
            ]),
        tests(
            "LabCodeTests",
            [
                "CWaitHooks", "CoreData", "LabResults", "LabRunner", "LabScenario", "LabTesting",
                "LabTorture",
            ]),
        tests(
            "LabPostgreSQLTests",
            [
                "ContextHistory", "CoreDataModel", "CoreDataStore", "LabFiles", "LabPostgreSQL",
                "LabResults", "LabRunner", "PostgreSQLTestSupport",
            ]),
        tests("ScenarioWritingTests", ["LabResults", "LabRunner", "ScenarioWriting"]),
        tests(
            "FaultlineRecorderTests",
            [
                "ContextHistory", "CoreData", "faultline", "FaultlineRecorder",
                "FaultlineRecorderTesting", "LabCheck", "LabFiles", "LabResults", "LabRunner",
                "ScenarioWriting", "TestSupport",
            ]),
        tests(
            "LabBenchTests",
            [
                "BenchOperations", "BenchReporting", "BenchResults", "CoreData", "LabBench",
                "LabFiles", "ReportParts",
            ]),
        tests(
            "LabReportTests",
            [
                "BenchReporting", "BenchResults", "LabFiles", "LabReport", "LabResults",
                "ReportParts",
            ], exclude: ["Golden"]),
        tests(
            "SQLAnalysisTests",
            [
                "CoreData", "CoreDataEngine", "CoreDataPostgreSQL", "CoreDataPostgreSQLClient",
                "CoreDataSQLite", "CoreDataStore", "CoreDataTrace", "LabFiles", "LabResults",
                "PostgreSQLTestSupport", "SQLAnalysis", "TestSupport",
            ]),
        tests(
            "LabTortureTests",
            [
                "CrashAttacks", "faultline-torture", "FuzzAttacks", "LabBench", "LabFiles",
                "LabResults", "LabRunner", "LabScenario", "LabTorture", "TestSupport",
                "TortureCampaigns",
            ],
            exclude: ["Corpus"]),
        tests(
            "ToolTests",
            [
                "CommandLineSupport", "CoreData", "CoreDataEngine", "faultline",
                "faultline-torture", "BenchResults", "FuzzAttacks", "LabBench", "LabCommands",
                "LabFiles", "LabResults", "LabRunner", "TestSupport", "TortureCampaigns",
            ]),
        .testTarget(
            name: "SourceRewritingTests",
            dependencies: ["SourceRewriting", "coredata-sources"] + syntax,
            swiftSettings: strict + findsSyntax),
        tests("TidyTests", []),
    ]
)
