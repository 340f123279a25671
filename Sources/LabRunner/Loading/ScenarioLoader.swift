import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import LabFiles
import LabScenario

/// A scenario with its model, ready to run.
package struct LoadedScenario: Sendable {
    package let scenario: Scenario
    let model: NSManagedObjectModel
    /// The file of the store to copy.
    let copiedStore: String?
}

/// Reads scenario files and their models.
package struct ScenarioLoader: Sendable {
    package let reader: ScenarioReader
    package let fixtures: Fixtures
    /// The files that a scenario may name.
    private let scope: @Sendable (_ file: String) -> FileScope

    /// - Parameter named: the files and folders of the command line; a scenario that is found in a
    ///   folder may name any file in it.
    package init(_ options: SuiteOptions = SuiteOptions(), named: [String] = []) {
        RegularExpressionPattern.limitSteps(toThousands: RegularExpressionPattern.strangersLimit)
        let scope = Self.scope(options, named)
        self.scope = scope
        fixtures = options.fixtures
        reader = ScenarioReader(
            policies: options.policies.names,
            include: { path, file throws(FileProblem) in
                try Inclusion.read(in: scope(file))(path, file)
            })
    }

    private static func scope(
        _ options: SuiteOptions, _ named: [String]
    ) -> @Sendable (_ file: String) -> FileScope {
        if options.allowsOutside { return { _ in .everything } }
        return { file in
            let folder = named.first { file.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
            return FileScope(ofFile: file, foundIn: folder)
        }
    }

    package enum Result {
        /// The scenario, then its cures.
        case loaded([LoadedScenario])
        case skipped(Scenario, why: String)
        /// The file says that it cannot run yet.
        case pending(Scenario, why: String)
    }

    /// Reads a file, checks it against its model, and builds its cures.
    package func load(_ path: String) throws(InputErrors) -> Result {
        let scenario = try read(path)
        if let pending = scenario.pending { return .pending(scenario, why: pending.value) }
        if let missing = missingFixture(of: scenario) {
            return .skipped(scenario, why: missing)
        }
        var loaded: [LoadedScenario] = []
        for variant in [scenario] + scenario.cures { loaded.append(try prepare(variant)) }
        try PredicateCheck(scenarios: loaded).run()
        return .loaded(loaded)
    }

    package func prepare(_ scenario: Scenario) throws(InputErrors) -> LoadedScenario {
        let model: NSManagedObjectModel
        switch scenario.model {
        case .inline(let shape): model = shape.makeModel()
        case .file(let path, let version):
            model = try readModel(path, version: version, of: scenario)
            do {
                try reader.check(scenario, against: ModelShape(model))
            } catch {
                throw InputErrors(error)
            }
        }
        do { _ = try ModelBinding.of(model) } catch {
            throw InputErrors([
                InputError(
                    file: scenario.file, line: 1, column: 1,
                    problem: "the model cannot be used: \(error.message)",
                    remedy: "change it as the message says")
            ])
        }
        return LoadedScenario(
            scenario: scenario, model: model, copiedStore: try copiedStore(of: scenario))
    }

    /// Returns the scenario with a separate model, so that no thread shares a model with another.
    func again(_ loaded: LoadedScenario) throws(InputErrors) -> LoadedScenario {
        let model: NSManagedObjectModel
        switch loaded.scenario.model {
        case .inline(let shape): model = shape.makeModel()
        case .file(let path, let version):
            model = try readModel(path, version: version, of: loaded.scenario)
        }
        return LoadedScenario(
            scenario: loaded.scenario, model: model, copiedStore: loaded.copiedStore)
    }

    private func read(_ path: String) throws(InputErrors) -> Scenario {
        let bytes = try Self.bytes(ofScenario: path)
        do {
            return try reader.read(bytes, file: path)
        } catch {
            throw InputErrors(error)
        }
    }

    static func bytes(ofScenario path: String) throws(InputErrors) -> [UInt8] {
        do throws(FileProblem) {
            return try InputFile.bytes(at: path)
        } catch {
            throw InputErrors([
                InputError(
                    file: path, problem: error.what,
                    remedy: "name a scenario file, or a folder of scenario files")
            ])
        }
    }

    /// The path of a file that a scenario names; nil for a fixture without a fixtures folder.
    private func place(
        _ path: Located<String>, of scenario: Scenario
    ) throws(InputErrors) -> String? {
        do throws(FileProblem) {
            guard path.value.hasPrefix(Fixtures.prefix) else {
                return try scope(scenario.file).place(
                    of: path.value, in: FileScope.folder(of: scenario.file))
            }
            return try fixtures.place(of: path.value)
        } catch {
            throw InputErrors([
                InputError(scenario.file, path.position, error.what, error.instead)
            ])
        }
    }

    private func readModel(
        _ path: Located<String>, version: Located<String>?, of scenario: Scenario
    ) throws(InputErrors) -> NSManagedObjectModel {
        let file = try place(path, of: scenario) ?? path.value
        do throws(FileProblem) { try FileScope.checkModel(file, named: path.value) } catch {
            throw InputErrors([
                InputError(scenario.file, path.position, error.what, error.instead)
            ])
        }
        do {
            return try NSManagedObjectModel.load(
                contentsOf: URL(fileURLWithPath: file), version: version?.value)
        } catch {
            throw InputErrors(
                error.findings.map { finding in
                    finding.location?.line == nil
                        ? InputError(
                            scenario.file, path.position,
                            "the model cannot be read: \(finding.message)",
                            "name an .xcdatamodeld next to this file or after 'fixtures:'")
                        : InputError(
                            file: finding.location?.path ?? file, line: finding.location?.line,
                            column: finding.location?.column, problem: finding.message,
                            remedy: "change the model")
                })
        }
    }

    private func copiedStore(of scenario: Scenario) throws(InputErrors) -> String? {
        guard let source = scenario.store.copyOf else { return nil }
        guard let file = try place(source, of: scenario),
            FileManager.default.fileExists(atPath: file)
        else {
            throw InputErrors([
                InputError(
                    scenario.file, source.position, "the store '\(source.value)' does not exist",
                    "name a file next to this one or after 'fixtures:'")
            ])
        }
        do throws(FileProblem) { try Self.checkStore(file) } catch {
            throw InputErrors([
                InputError(scenario.file, source.position, error.what, error.instead)
            ])
        }
        guard StoreFile.isDatabase(file) else {
            throw InputErrors([
                InputError(
                    scenario.file, source.position, "'\(source.value)' is not a SQLite database",
                    "name a Core Data store")
            ])
        }
        return file
    }

    /// Checks that the store and its log are plain files, and small enough to copy for every
    /// schedule.
    private static func checkStore(_ file: String) throws(FileProblem) {
        let folder = FileScope(folder: FileScope.folder(of: file))
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: file + suffix) {
            let real = try folder.place(of: file + suffix, in: "/")
            try InputFile.check(real, atMost: 1_000_000_000)
        }
    }

    private func missingFixture(of scenario: Scenario) -> String? {
        var paths = [scenario.store.copyOf?.value]
        if case .file(let path, _) = scenario.model { paths.append(path.value) }
        for path in paths.compactMap(\.self) where path.hasPrefix(Fixtures.prefix) {
            guard fixtures.folder != nil else {
                return "the scenario needs '\(path)', but FAULTLINE_FIXTURES is not set"
            }
            // If a path leaves the folder, this is reported as an error later.
            if let file = try? fixtures.place(of: path),
                !FileManager.default.fileExists(atPath: file)
            {
                return "the scenario needs '\(path)', which is not in the fixtures folder"
            }
        }
        return nil
    }
}

enum StoreFile {
    /// Whether the file is empty or has SQLite's header.
    static func isDatabase(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        let header = (try? file.read(upToCount: 16)) ?? nil
        return header == Data("SQLite format 3\0".utf8)
    }
}

extension InputError {
    init(_ file: String, _ position: SourcePosition, _ problem: String, _ remedy: String) {
        self.init(
            file: file, line: position.line, column: position.column, problem: problem,
            remedy: remedy)
    }
}

extension InputErrors {
    init(_ problems: ScenarioProblems) {
        self.init(
            problems.problems.map { InputError($0.file, $0.position, $0.what, $0.instead) })
    }
}
