import Foundation
import LabFiles
import Synchronization
import TortureCampaigns

/// Creates the files that the campaigns of a program share. Each file is created when it is first
/// needed.
package final class CrashWorkshop: Sendable {
    private struct State {
        var bench: Result<Bench, InputFailure>?
        var templates: [String: String] = [:]
        var counts: [String: Int] = [:]
    }

    /// The files on disk that all attempts use.
    private struct Bench: Sendable {
        let folder: TemporaryFolder
        let shim: IOShim
        /// A link to the tool in a folder that also contains a mapping model. The engine searches
        /// the main bundle of a process for mapping models.
        let mappingTool: String
    }

    private let tool: String
    private let state = Mutex(State())
    /// Guards against two attempts that create the same template at the same time.
    private let making = Mutex(())

    /// - Parameter tool: the path of the program whose hidden subcommand runs victims.
    package init(tool: String) { self.tool = tool }

    // MARK: Preparation

    private func bench() throws(InputFailure) -> Bench {
        try state.withLock { state throws(InputFailure) in
            if let bench = state.bench { return try bench.get() }
            let made = Result { () throws(InputFailure) in try make() }
            state.bench = made
            return try made.get()
        }
    }

    private func make() throws(InputFailure) -> Bench {
        guard FileManager.default.isExecutableFile(atPath: tool) else {
            throw InputFailure("\(tool) is not a program; name the program that runs as a victim")
        }
        let folder: TemporaryFolder
        do throws(FileProblem) { folder = try TemporaryFolder("torture") } catch {
            throw InputFailure("\(error)")
        }
        let place = try Self.makeFolder(folder.path + "/tool")
        let mappingTool = place + "/faultline"
        do {
            // A hard link is fast. A copy also works across file systems.
            do { try FileManager.default.linkItem(atPath: tool, toPath: mappingTool) } catch {
                try FileManager.default.copyItem(atPath: tool, toPath: mappingTool)
            }
            try MappingModelWriter.ledger().write(to: URL(fileURLWithPath: place + "/Ledger.cdm"))
        } catch {
            throw InputFailure("\(mappingTool) cannot be created: \(error)")
        }
        return Bench(
            folder: folder, shim: try IOShim(in: Self.makeFolder(folder.path + "/shim")),
            mappingTool: mappingTool)
    }

    private static func makeFolder(_ path: String) throws(InputFailure) -> String {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
            return path
        } catch {
            throw InputFailure("\(path) cannot be created: \(error)")
        }
    }

    /// Removes all files of the workshop. Programs that keep the workshop until they end call this
    /// method.
    package func removeAll() {
        if case .success(let bench) = state.withLock({ $0.bench }) { bench.folder.remove() }
    }

    /// Creates an empty folder for one attempt. The caller removes it with ``discard(_:)``.
    func makeFolder(_ name: String) throws(InputFailure) -> String {
        try Self.makeFolder(
            try bench().folder.path + "/\(name)-\(UUID().uuidString.prefix(8))")
    }

    func discard(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

    /// Creates the folder of a victim's stores, with the stores that its kind needs before it
    /// begins.
    func makeStores(_ kind: VictimKind, _ journal: JournalSetting, in folder: String) throws
        -> String
    {
        let stores = folder + "/stores"
        guard kind.needsTemplate else {
            try FileManager.default.createDirectory(
                atPath: stores, withIntermediateDirectories: true)
            return stores
        }
        let made = try template(journal, hasExternalNotes: kind.hasExternalNotes)
        try FileManager.default.copyItem(atPath: made, toPath: stores)
        if kind.withoutExternalNotes != .replacement {
            for name in [StoreName.other, StoreName.support(StoreName.other)] {
                let path = stores + "/" + name
                guard FileManager.default.fileExists(atPath: path) else { continue }
                try FileManager.default.removeItem(atPath: path)
            }
        }
        return stores
    }

    private func template(_ journal: JournalSetting, hasExternalNotes: Bool) throws -> String {
        let key = "\(journal.rawValue) \(hasExternalNotes)"
        return try making.withLock { _ in
            if let known = state.withLock({ $0.templates[key] }) { return known }
            let folder = try makeFolder("template")
            let stores = folder + "/stores"
            try FileManager.default.createDirectory(
                atPath: stores, withIntermediateDirectories: false)
            let request = VictimRequest(
                work: .prepare, kind: hasExternalNotes ? .externalValues : .saves,
                journal: journal, folder: stores, seed: 0)
            let outcome = try run(request, .nothing, in: folder)
            guard outcome.ending == .exited(0) else {
                throw InputFailure(
                    "the victims' initial stores cannot be created: \(outcome.shown)")
            }
            state.withLock { $0.templates[key] = stores }
            return stores
        }
    }

    // MARK: Running

    struct Outcome {
        let ending: ChildProcess.Ending
        let output: String
        let complaint: String
        /// The number of calls that the shim counted, and the number that it made fail. (The shim
        /// is a library that is loaded into victims.) Nil if the victim was killed.
        let calls: (counted: Int, failed: Int)?

        var story: VictimStory { VictimStory(output) }

        /// A description in one line, for failure messages.
        var shown: String {
            let text = complaint.split(separator: "\n").suffix(6).joined(separator: " · ")
            return "the process \(ending)" + (text.isEmpty ? "" : ": \(text.prefix(500))")
        }
    }

    /// Runs a victim to its end. Its output files are written to `folder`.
    func run(
        _ request: VictimRequest, _ orders: IOShim.Orders, in folder: String
    ) throws -> Outcome {
        let name = folder + "/" + request.work.rawValue
        let plan = try plan(request, orders, name)
        let ending = try ChildProcess(plan).wait()
        return try outcome(name, ending)
    }

    /// The launch parameters of a victim. `name` is the path with which its output files begin.
    func plan(
        _ request: VictimRequest, _ orders: IOShim.Orders, _ name: String
    ) throws -> ChildProcess.Plan {
        let bench = try bench()
        var plan = ChildProcess.Plan(
            program: request.kind == .mappedMigration ? bench.mappingTool : tool,
            arguments: try request.arguments, output: name + ".out", complaint: name + ".err")
        plan.environment = bench.shim.environment(
            orders, folder: request.work == .verify ? folder(of: name) : request.folder,
            count: name + ".count")
        // If a victim traps, a backtrace would take seconds, and nobody reads it.
        plan.environment["SWIFT_BACKTRACE"] = "enable=no"
        return plan
    }

    private func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    func outcome(_ name: String, _ ending: ChildProcess.Ending) throws -> Outcome {
        let text = { (suffix: String) in
            String(
                decoding: FileManager.default.contents(atPath: name + suffix) ?? Data(),
                as: UTF8.self)
        }
        let numbers = text(".count").split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        return Outcome(
            ending: ending, output: text(".out"), complaint: text(".err"),
            calls: numbers.count == 2 ? (numbers[0], numbers[1]) : nil)
    }

    /// The number of calls that the shim counts in an undisturbed victim of this kind. It is
    /// computed once.
    ///
    /// - Parameter countsOpens: whether only calls that open files count.
    func calls(
        _ kind: VictimKind, _ journal: JournalSetting, countsOpens: Bool = false
    ) throws -> Int {
        let key = "\(kind.rawValue) \(journal.rawValue) \(countsOpens)"
        if let known = state.withLock({ $0.counts[key] }) { return known }
        let folder = try makeFolder("count")
        defer { discard(folder) }
        let stores = try makeStores(kind, journal, in: folder)
        let request = VictimRequest(
            work: .write, kind: kind, journal: journal, folder: stores, seed: 0)
        let orders = IOShim.Orders.fail(at: .max, times: 1, error: 0, countsOpens: countsOpens)
        let outcome = try run(request, orders, in: folder)
        guard outcome.ending == .exited(0), outcome.story.isFinished, let calls = outcome.calls
        else {
            throw InputFailure(
                "a victim of the kind \(kind.rawValue) fails without an attack:"
                    + " \(outcome.shown) \(outcome.output.suffix(300))")
        }
        state.withLock { $0.counts[key] = calls.counted }
        return calls.counted
    }

    /// Verifies folders in a separate process, and returns a verdict on each.
    func verify(
        _ request: VictimRequest, _ cases: [VerifiedCase], in folder: String
    ) throws -> [Verdict] {
        var verdicts: [Verdict] = []
        // If a case ends the process, another process verifies the remaining cases.
        while verdicts.count < cases.count {
            var asked = request
            asked.work = .verify
            asked.plant = nil
            asked.cases = Array(cases[verdicts.count...])
            let outcome = try run(asked, .nothing, in: folder)
            let found = Verdict.all(outcome.output)
            verdicts += found
            if found.count < asked.cases.count {
                verdicts.append(.wrong("opening the store fails: \(outcome.shown)"))
            }
        }
        return Array(verdicts.prefix(cases.count))
    }

    /// The result of verifying one folder: the number of steps that it contains, or a problem.
    enum Verdict {
        case fine(steps: Int)
        case wrong(String)

        static func all(_ output: String) -> [Verdict] {
            output.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ", maxSplits: 2)
                guard words.count == 3 else { return nil }
                switch words[0] {
                case "fine": return .fine(steps: Int(words[2]) ?? 0)
                case "wrong": return .wrong(String(words[2]))
                default: return nil
                }
            }
        }

        var finding: String? {
            if case .wrong(let text) = self { text } else { nil }
        }
    }
}
