/// The order of the folders in a module. Code may use types, globals and members of its own level
/// and of lower levels.
struct ModuleLayers: Sendable {
    let module: String
    /// The folders of each level, the highest level first. The folders of one level may use each
    /// other.
    let levels: [[String]]

    static let all = [
        ModuleLayers(
            module: "CoreDataEngine",
            levels: [
                ["Migration", "ResultsController", "CustomStores", "Container"],
                ["Requests"],
                ["Context", "Object", "Observation", "Undo", "Merge", "Fetch", "Save"],
            ]),
        ModuleLayers(
            module: "CoreDataStore",
            levels: [
                ["Coordinator", "History"],
                ["Stores"],
                ["Vocabulary", "Errors"],
                ["Notifications", "Confinement"],
            ]),
        ModuleLayers(
            module: "CoreDataSQL",
            levels: [
                ["Batch"],
                ["Query"],
                ["History", "Rows"],
                ["Names"],
                ["Dialect", "Text"],
            ]),
        ModuleLayers(
            module: "LabScenario",
            levels: [
                ["Reading"],
                ["Check", "Grading", "Keys"],
                ["Scenario"],
                ["Model"],
                ["Steps"],
                ["Text"],
            ]),
        ModuleLayers(
            module: "LabRunner",
            levels: [
                ["Recordings", "TestBodies"],
                ["Code", "Shrink", "Trials"],
                ["Suite"],
                ["Cells"],
                ["Baton", "Threads"],
                ["Lanes"],
                ["Steps"],
                ["World"],
                ["Loading"],
                ["Options"],
                ["Policies", "Values"],
            ]),
        ModuleLayers(
            module: "ScenarioWriting",
            levels: [
                ["Writing"],
                ["Histories"],
                ["Sessions"],
                ["Text"],
                ["Reading"],
                ["Values"],
            ]),
        ModuleLayers(
            module: "LabBench",
            levels: [
                ["Gate"],
                ["Suite"],
                ["Measurement"],
                ["Reading"],
                ["OwnModel"],
                ["Sides", "Workloads"],
                ["Data", "Statistics"],
            ]),
        ModuleLayers(module: "BenchOperations", levels: [["Operations"], ["Data"]]),
        ModuleLayers(module: "ReportParts", levels: [["Files"], ["HTML"], ["Pieces"]]),
        ModuleLayers(
            module: "LabReport",
            levels: [
                ["Files"],
                ["HTML"],
                ["Markdown"],
                ["Text"],
                ["Content"],
            ]),
        ModuleLayers(
            module: "BenchReporting",
            levels: [
                ["Files"],
                ["HTML"],
                ["Markdown"],
                ["Text"],
                ["Content"],
            ]),
        ModuleLayers(
            module: "SQLAnalysis",
            levels: [
                ["Report"],
                ["Findings", "Fetch", "Surveys"],
                ["Log", "Store"],
                ["Statements"],
            ]),
        ModuleLayers(
            module: "LabTorture",
            levels: [
                ["Presets"],
                ["Evaluators", "RandomCode", "RandomPrograms", "RandomScenarios"],
            ]),
    ]

    /// The text that ARCHITECTURE.md contains.
    var diagram: String {
        levels.map { $0.joined(separator: " · ") }.joined(separator: "\n    →  ")
    }

    func level(_ folder: String?) -> Int? {
        levels.firstIndex { $0.contains(folder ?? "") }
    }

    func own(_ files: [SourceFile]) -> [SourceFile] {
        files.filter { $0.module == module && $0.isSource }
    }

    /// The module and all modules on which it depends.
    var below: Set<String> {
        var found: Set<String> = []
        var left = [module]
        while let next = left.popLast() {
            if found.insert(next).inserted { left += ImportRules.allowed[next] ?? [] }
        }
        return found
    }
}
