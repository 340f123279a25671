/// The table of permitted imports. A test enforces the layers of ARCHITECTURE.md with it.
enum ImportRules {
    /// `Glibc` represents the C headers of the platform.
    static let allowed: [String: Set<String>] = [
        "CoreDataTrace": ["Foundation", "Synchronization"],
        "CoreDataSQLite": ["CSQLite", "CoreDataTrace", "Synchronization"],
        "CoreDataPostgreSQLClient": [
            "CPostgreSQL", "CoreDataTrace", "Dispatch", "Foundation", "Synchronization",
        ],
        "CoreDataPredicate": [
            "CRuntimeShims", "CoreDataTrace", "Foundation", "Synchronization",
        ],
        "CoreDataModel": [
            "CZlib", "CoreDataPredicate", "CoreDataTrace", "Foundation", "Synchronization",
        ],
        "CoreDataSQL": ["CoreDataModel", "CoreDataPredicate", "Foundation"],
        "CoreDataStore": [
            "CRowFormat", "CRuntimeShims", "CoreDataModel", "CoreDataPredicate", "CoreDataSQL",
            "CoreDataSQLite", "CoreDataTrace", "Dispatch", "Foundation", "Synchronization",
        ],
        "CoreDataEngine": [
            "CRuntimeShims", "CoreDataModel", "CoreDataPredicate", "CoreDataStore",
            "CoreDataTrace", "Foundation", "Synchronization",
        ],
        "CoreDataPostgreSQL": [
            "CPostgreSQLStart", "CoreDataModel", "CoreDataPostgreSQLClient", "CoreDataPredicate",
            "CoreDataSQL", "CoreDataStore", "CoreDataTrace", "Foundation", "Synchronization",
        ],
        "CoreData": [
            "CoreDataEngine", "CoreDataModel", "CoreDataPredicate", "CoreDataStore", "Foundation",
        ],
        "CoreDataDocuments": [
            "CRuntimeShims", "CoreData", "CoreDataStore", "CoreDataTrace", "Dispatch",
            "Foundation", "Glibc", "Synchronization",
        ],
        "ModelGeneration": ["CoreDataModel"],
        "coredata-model": ["CoreDataModel", "CoreDataTrace", "Foundation", "ModelGeneration"],
        "SourceRewriting": ["Foundation", "SwiftParser", "SwiftSyntax"],
        "coredata-sources": [
            "CoreDataModel", "CoreDataTrace", "Foundation", "ModelGeneration", "SourceRewriting",
        ],
        "LabFiles": ["CYaml", "Foundation", "Glibc", "Synchronization"],
        "LabScenario": ["ContextHistory", "Foundation", "LabFiles", "ScenarioWords", "Yams"],
        "LabSchedule": ["Synchronization"],
        "LabCheck": ["ContextHistory"],
        "LabResults": ["LabFiles"],
        "BenchResults": ["LabFiles"],
        "LabRunner": [
            "CRuntimeShims", "CWaitHooks", "ContextHistory", "CoreData", "CoreDataEngine",
            "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite", "CoreDataStore",
            "CoreDataTrace", "Dispatch",
            "FaultlineRecorder", "Foundation", "Glibc", "LabCheck", "LabFiles", "LabReport",
            "LabResults", "LabScenario", "LabSchedule", "ReportParts", "Synchronization",
            "_Concurrency",
        ],
        "LocalPostgreSQL": [
            "CoreDataPostgreSQLClient", "Foundation", "Glibc", "LabFiles", "Synchronization",
        ],
        "LabPostgreSQL": [
            "ContextHistory", "CoreDataModel", "CoreDataPostgreSQL", "CoreDataPostgreSQLClient",
            "CoreDataStore", "Foundation", "LabFiles", "LabRunner", "LocalPostgreSQL",
            "Synchronization",
        ],
        "LabTesting": ["LabRunner", "Synchronization", "Testing"],
        "LabXCTest": [
            "CXCTestHooks", "CoreDataTrace", "Foundation", "LabRunner", "Synchronization",
            "XCTest",
        ],
        "LabBench": [
            "BenchResults", "CYardstick", "CoreData", "CoreDataEngine", "CoreDataModel",
            "CoreDataPredicate", "CoreDataSQLite", "CoreDataStore", "CoreDataTrace", "Foundation",
            "Glibc", "LabFiles", "Synchronization", "Yams",
        ],
        "BenchOperations": [
            "BenchResults", "CBaseline", "CYardstick", "CoreData", "Foundation", "LabBench",
            "Synchronization",
        ],
        "ReportParts": ["Foundation"],
        "LabReport": ["Foundation", "LabFiles", "LabResults", "ReportParts"],
        "BenchReporting": ["BenchResults", "Foundation", "LabFiles", "ReportParts"],
        "SQLAnalysis": [
            "CoreDataEngine", "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite",
            "CoreDataStore", "CoreDataTrace", "Foundation", "LabFiles", "LabResults",
            "ModelGeneration", "Synchronization",
        ],
        "TortureCampaigns": ["Foundation", "LabFiles", "LabResults", "Synchronization"],
        "CrashAttacks": [
            "CoreData", "CoreDataDocuments", "CoreDataModel", "CoreDataSQLite", "CoreDataTrace",
            "Foundation", "Glibc", "LabBench", "LabFiles", "Synchronization", "TortureCampaigns",
        ],
        "FuzzAttacks": [
            "BenchOperations", "BenchReporting", "BenchResults", "CoreData", "CoreDataEngine",
            "CoreDataModel", "CoreDataPredicate", "CoreDataSQLite", "CoreDataStore",
            "CoreDataTrace", "Dispatch", "Foundation", "Glibc", "LabBench", "LabFiles", "LabReport",
            "LabResults", "LabScenario", "LabSchedule", "ReportParts", "SQLAnalysis",
            "Synchronization", "TortureCampaigns",
        ],
        "LabTorture": [
            "CoreData", "CoreDataEngine", "CoreDataPredicate", "CoreDataStore", "CoreDataTrace",
            "CrashAttacks", "Foundation", "FuzzAttacks", "Glibc", "LabFiles", "LabResults",
            "LabRunner", "LabScenario", "LabSchedule", "Synchronization", "TortureCampaigns",
        ],
        "ContextHistory": [],
        "ScenarioWords": [],
        "ScenarioWriting": ["ContextHistory", "ScenarioWords"],
        "FaultlineRecorder": [
            "CRuntimeShims", "ContextHistory", "CoreData", "CoreDataEngine", "CoreDataModel",
            "CoreDataPredicate", "CoreDataStore", "CoreDataTrace", "Foundation", "ScenarioWriting",
            "Synchronization",
        ],
        "FaultlineRecorderTesting": [
            "CRecorderStart", "CoreDataTrace", "FaultlineRecorder", "Foundation", "Synchronization",
            "Testing",
            "XCTest",
        ],
        "FaultlineBench": ["BenchCommands", "CoreData", "LabBench"],
        "CommandLineSupport": [
            "ArgumentParser", "CoreDataTrace", "Foundation", "Glibc", "LabFiles", "ReportParts",
            "Synchronization",
        ],
        "BenchCommands": [
            "ArgumentParser", "BenchReporting", "BenchResults", "CommandLineSupport", "Foundation",
            "Glibc", "LabBench", "LabFiles", "ReportParts", "Synchronization",
        ],
        "LabCommands": [
            "ArgumentParser", "CommandLineSupport", "Foundation", "Glibc", "LabFiles", "LabReport",
            "LabResults", "LabRunner", "ReportParts", "Synchronization",
        ],
        "faultline": [
            "ArgumentParser", "BenchCommands", "BenchOperations", "BenchReporting", "BenchResults",
            "CommandLineSupport", "CoreDataPostgreSQL", "Foundation", "Glibc", "LabBench",
            "LabCommands", "LabFiles", "LabPostgreSQL", "LabReport", "LabResults", "LabRunner",
            "ReportParts", "SQLAnalysis",
        ],
        "faultline-torture": [
            "ArgumentParser", "CommandLineSupport", "CrashAttacks", "Foundation", "FuzzAttacks",
            "Glibc", "LabCommands", "LabFiles", "LabReport", "LabResults", "LabRunner",
            "LabTorture", "SQLAnalysis", "TortureCampaigns",
        ],
    ]

    /// The module, and all modules on which it depends directly or indirectly.
    static func compiled(for module: String) -> Set<String> {
        var found: Set<String> = []
        var waiting = [module]
        while let next = waiting.popLast() {
            guard let imports = allowed[next], found.insert(next).inserted else { continue }
            waiting += imports
        }
        return found
    }

    static func check(_ file: SourceFile) -> [Violation] {
        guard file.isSource, let module = file.module else { return [] }
        return imports(file).compactMap { index, name in
            if name == "Dispatch", module == "CoreDataStore", file.folder != "Confinement" {
                return file.violation(
                    index, "import-dispatch", "queues live in Confinement; ask a ConfinementQueue")
            }
            guard let table = allowed[module] else {
                return file.violation(index, "import", "add module \(module) to the import table")
            }
            guard !table.contains(name) else { return nil }
            return file.violation(
                index, "import", "\(module) must not import \(name); see ARCHITECTURE.md")
        }
    }

    /// Finds code other than re-exports in the umbrella module.
    static func umbrella(_ file: SourceFile) -> [Violation] {
        guard file.module == "CoreData", file.isSource else { return [] }
        return file.code.indices.compactMap { index in
            let line = file.code[index]
            guard !file.isBlankOrComment(index), !line.hasPrefix("@_exported import ")
            else { return nil }
            return file.violation(index, "umbrella", "move it into the module that it belongs to")
        }
    }

    private static func imports(_ file: SourceFile) -> [(Int, String)] {
        file.code.enumerated().compactMap { index, line in
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
                words[..<keyword].allSatisfy({ $0.hasPrefix("@") || $0 == "package" })
            else { return nil }
            let kinds: Set<Substring> = ["struct", "class", "enum", "func", "protocol", "var"]
            let name = kinds.contains(words[keyword + 1]) ? words.last ?? "" : words[keyword + 1]
            return (index, String(name.prefix { $0 != "." }))
        }
    }
}
