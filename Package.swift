// swift-tools-version: 6.2
import PackageDescription

// One list of settings for every Swift target, so that no module is held to less than another.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    // Existentials are spelled, so that a dynamic call is seen where it is written.
    .enableUpcomingFeature("ExistentialAny"),
    // A member is visible only where its module is imported, so every arrow in use is declared.
    .enableUpcomingFeature("MemberImportVisibility"),
    // The mutation gate's switch; a release build has nothing of it.
    .define("FAULTLINE_MUTATIONS", .when(configuration: .debug)),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
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
        .library(name: "LabRunner", targets: ["LabRunner", "LabTesting"]),
        .library(name: "LabXCTest", targets: ["LabXCTest"]),
        .library(name: "LabCommands", targets: ["LabCommands"]),
        .library(name: "FaultlineBench", targets: ["FaultlineBench"]),
        .library(name: "FaultlineRecorder", targets: ["FaultlineRecorder"]),
        .library(name: "FaultlineRecorderTesting", targets: ["FaultlineRecorderTesting"]),
        .executable(name: "faultline", targets: ["faultline"]),
        .executable(name: "coredata-sources", targets: ["coredata-sources"]),
        .plugin(name: "CoreDataSources", targets: ["CoreDataSources"]),
        .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
        .plugin(name: "FaultlineGate", targets: ["FaultlineGate"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        // C leaves
        .target(name: "CRowFormat"),
        .target(
            name: "CSQLite", dependencies: ["CRowFormat"],
            linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CRuntimeShims"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CWaitHooks", dependencies: ["CRuntimeShims"]),
        .target(name: "CBaseline", linkerSettings: [.linkedLibrary("sqlite3")]),

        // Swift leaves
        module("CoreDataTrace"),
        module("CoreDataSQLite", ["CSQLite"]),
        module("CoreDataPredicate", ["CoreDataTrace", "CRuntimeShims"]),
        module("CoreDataModel", ["CoreDataPredicate", "CoreDataTrace", "CZlib"]),

        // The engine and its umbrella
        module(
            "CoreDataStore",
            [
                "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite", "CoreDataTrace",
                "CRowFormat", "CRuntimeShims",
            ]),
        module(
            "CoreDataEngine",
            [
                "CoreDataModel", "CoreDataPredicate", "CoreDataStore", "CoreDataTrace",
                "CRuntimeShims",
            ]),
        module(
            "CoreData", ["CoreDataEngine", "CoreDataModel", "CoreDataPredicate", "CoreDataStore"]),
        // Documents over a context
        module(
            "CoreDataDocuments",
            [
                "CoreData", "CoreDataEngine", "CoreDataModel", "CoreDataStore", "CoreDataTrace",
                "CRuntimeShims",
            ]),

        // What a program's contexts do, as scenario files
        module("ScenarioWords"),
        module("ScenarioWriting", ["ScenarioWords"]),
        module(
            "FaultlineRecorder",
            [
                "CoreData", "CoreDataEngine", "CoreDataModel", "CoreDataPredicate",
                "CoreDataStore", "CoreDataTrace", "CRuntimeShims", "ScenarioWriting",
            ]),

        .target(name: "CRecorderStart"),
        module("FaultlineRecorderTesting", ["CRecorderStart", "FaultlineRecorder"]),

        // The lab and the bench
        module("LabFiles", [.product(name: "Yams", package: "Yams")]),
        module(
            "LabScenario",
            ["LabFiles", "ScenarioWords", .product(name: "Yams", package: "Yams")]),
        module("LabSchedule"),
        module("LabCheck", ["LabScenario"]),
        module("LabResults"),
        module(
            "LabRunner",
            [
                "CRuntimeShims", "CWaitHooks", "FaultlineRecorder", "LabFiles", "LabScenario",
                "LabSchedule", "LabCheck",
                "LabReport", "LabResults", "CoreData", "CoreDataEngine", "CoreDataModel",
                "CoreDataPredicate", "CoreDataSQLite", "CoreDataStore", "CoreDataTrace",
            ]),
        module(
            "LabBench",
            [
                "CoreData", "CoreDataEngine", "CoreDataModel", "CoreDataPredicate",
                "CoreDataSQLite", "CoreDataStore", "CoreDataTrace", "LabFiles", "LabResults",
                "CBaseline",
                .product(name: "Yams", package: "Yams"),
            ]),
        module("LabTesting", ["LabRunner"]),
        // XCTest for those who want it: no other module links it.
        .target(name: "CXCTestHooks"),
        module("LabXCTest", ["LabRunner", "CXCTestHooks"]),
        module("LabReport", ["LabResults"]),
        module(
            "SQLAnalysis",
            [
                "CoreDataEngine", "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite",
                "CoreDataStore", "CoreDataTrace", "LabFiles", "LabResults", "ModelGeneration",
            ]),

        // Attacks on the engine
        .target(
            name: "LabTorture",
            dependencies: [
                "CoreData", "CoreDataDocuments", "CoreDataEngine", "CoreDataModel",
                "CoreDataPredicate", "CoreDataSQLite", "CoreDataStore", "CoreDataTrace",
                "LabBench", "LabFiles", "LabReport", "LabResults", "LabRunner", "LabScenario",
                "LabSchedule", "SQLAnalysis",
            ],
            // Compiled on the machine of the attack, also by a tool that was installed.
            resources: [.embedInCode("Crashes/Shim/Shim.c")], swiftSettings: strict),

        // Benchmarks of other packages
        module("FaultlineBench", ["CoreData", "LabBench", "LabCommands"]),
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

        .target(
            name: "LabCommands",
            dependencies: [
                "LabBench", "LabFiles", "LabReport", "LabResults", "LabRunner",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "faultline",
            dependencies: [
                "LabCommands", "LabFiles", "LabRunner", "LabBench", "LabReport", "LabResults",
                "LabTorture",
                // Named nowhere: with it the tool's own stacks can be recorded.
                "FaultlineRecorder",
                "SQLAnalysis",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // Sources of Xcode's projects; only these are built with swift-syntax.
        module(
            "SourceRewriting",
            [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]),
        .executableTarget(
            name: "coredata-sources",
            dependencies: ["CoreDataModel", "ModelGeneration", "SourceRewriting"],
            swiftSettings: strict),
        .plugin(
            name: "CoreDataSources", capability: .buildTool(),
            dependencies: ["coredata-sources"]),
        // Models of Xcode's projects, compiled and turned into classes while a package is built.
        module("ModelGeneration", ["CoreDataModel"]),
        .executableTarget(
            name: "coredata-model", dependencies: ["CoreDataModel", "ModelGeneration"],
            swiftSettings: strict),
        .plugin(
            name: "CoreDataModelPlugin", capability: .buildTool(),
            dependencies: ["coredata-model"]),

        tests("CoreDataSQLiteTests", ["CoreDataSQLite"]),
        tests("CoreDataPredicateTests", ["CoreDataPredicate", "CoreDataTrace"]),
        tests("CoreDataModelTests", ["CoreDataModel", "CoreDataPredicate"]),
        // What several test targets use.
        .target(
            name: "TestSupport",
            dependencies: ["CoreDataModel", "CoreDataSQLite", "CoreDataTrace"],
            path: "Tests/TestSupport", swiftSettings: strict),
        tests(
            "CoreDataStoreTests",
            [
                "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite", "CoreDataStore",
                "CoreDataTrace", "CRuntimeShims", "TestSupport",
            ]),
        tests(
            "CoreDataEngineTests",
            [
                "CoreDataEngine", "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite",
                "CoreDataStore", "CoreDataTrace", "CRuntimeShims", "TestSupport",
            ]),
        tests("ConformanceTests", ["CoreData"]),
        tests("CoreDataDocumentsTests", ["CoreData", "CoreDataDocuments"]),
        tests(
            "PropertyTests",
            [
                "CoreData", "CoreDataEngine", "CoreDataModel", "CoreDataSQLite", "CoreDataStore",
                "TestSupport",
            ]),
        tests("LabFilesTests", ["LabFiles"]),
        tests("LabScenarioTests", ["LabFiles", "LabScenario"]),
        tests("LabScheduleTests", ["LabSchedule"]),
        tests("LabCheckTests", ["LabCheck", "LabScenario"]),
        tests(
            "LabRunnerTests",
            [
                "CRuntimeShims", "CoreData", "LabFiles", "LabResults", "LabRunner",
                "LabScenario", "LabSchedule",
            ]),
        tests(
            "LabCodeTests",
            [
                "CoreData", "LabResults", "LabRunner", "LabScenario", "LabTesting", "LabTorture",
            ]),
        tests("ScenarioWritingTests", ["LabResults", "LabRunner", "ScenarioWriting"]),
        tests(
            "FaultlineRecorderTests",
            [
                "CoreData", "faultline", "FaultlineRecorder", "FaultlineRecorderTesting",
                "LabResults", "LabRunner", "ScenarioWriting", "TestSupport",
            ]),
        tests("LabBenchTests", ["CoreData", "LabBench", "LabFiles", "LabResults"]),
        tests("LabReportTests", ["LabReport", "LabResults"], exclude: ["Golden"]),
        tests(
            "SQLAnalysisTests",
            [
                "CoreData", "CoreDataEngine", "CoreDataSQLite", "CoreDataStore", "CoreDataTrace",
                "LabResults", "SQLAnalysis", "TestSupport",
            ]),
        tests(
            "LabTortureTests",
            [
                "LabTorture", "LabBench", "LabFiles", "LabResults", "LabRunner", "LabScenario",
                "TestSupport",
            ],
            exclude: ["Corpus"]),
        tests(
            "ToolTests",
            [
                "CoreData", "CoreDataEngine", "faultline", "LabBench", "LabCommands", "LabResults",
                "LabRunner", "LabTorture", "TestSupport",
            ]),
        tests(
            "SourceRewritingTests",
            [
                "SourceRewriting", "coredata-sources",
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]),
        tests("TidyTests", []),
    ]
)
