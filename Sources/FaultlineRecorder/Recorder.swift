import ContextHistory
import CoreData
import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import Foundation
import ScenarioWriting
import Synchronization

/// Records the operations of contexts on real threads, and writes them to a scenario file.
/// `faultline explore` then runs the same operations in other orders.
///
///     let recorder = Recorder.start(on: container)
///     …
///     try recorder.write(to: folder)
///
/// Recording costs a few per cent of the contexts' time, and a few megabytes. A recorder may be
/// used from any thread.
public final class Recorder: Sendable {
    /// The representation of the program's values in files.
    public enum Values: String, Sendable, CaseIterable {
        /// The values themselves.
        case full
        /// Tokens in place of the values. Equal values have equal tokens within a file. Tokens of
        /// different files are unrelated. Numbers keep their order and the ratios of their
        /// differences, and dates keep their order.
        case hashed
        /// Tokens that are all different, even for equal values.
        case none
    }

    /// The options of a recorder.
    public struct Options: Sendable {
        /// The representation of values in files.
        public var values = Values.hashed
        /// The folder for files that the recorder writes automatically; nil if it writes none.
        public var folder: URL?
        /// The prefix of the names of scenarios and files.
        public var name = "recorded"
        /// The approximate number of bytes to keep. If the log is larger, the oldest entries are
        /// dropped.
        public var memory = 4 << 20
        /// Whether to write a file for each save that conflicts, even if a merge policy resolves
        /// it.
        public var writesConflicts = true
        /// The maximum time for which a context may wait for another context's queue. After a
        /// longer wait, the recorder writes files. If the value is nil, waits are not checked.
        public var patience: Duration? = .seconds(10)
        /// The maximum number of runs that are written automatically.
        public var filesMax = 10

        /// Creates options with hashed values. Without a folder, files are written only on request.
        public init(values: Values = .hashed, folder: URL? = nil) {
            self.values = values
            self.folder = folder
        }
    }

    /// The files of one run.
    public struct Files: Sendable {
        /// The scenario, for `faultline explore`.
        public let scenario: URL
        /// The events of the contexts as text, one event per line.
        public let transcript: URL
        /// The events as JSON, for `faultline judge` and `Lab.judge(recording:)`.
        public let recording: URL
    }

    private let options: Options
    private let shared: SharedLog
    private let isStopped = Atomic<Bool>(false)
    private let written = Mutex(Written())
    private let files = DispatchQueue(label: "Faultline recorder")

    private struct Written: Sendable {
        var runs = 0
        var byItself = 0
        /// The blocks whose waits were too long at the last check. They have been reported.
        var waits: Set<Int> = []
        var tests: Set<String> = []
        var failure: (any Error)?
    }

    private init(_ options: Options) {
        self.options = options
        shared = SharedLog(memory: options.memory)
        if let patience = options.patience, options.folder != nil {
            Watchdog.start(patience) { [weak self] in self?.look(patience) ?? false }
        }
    }

    // MARK: Starting

    /// Records the existing and the future contexts of a container.
    ///
    /// If a context already has objects, its recording begins with its next block. The coordinator
    /// retains the recorder.
    @discardableResult
    public static func start(
        on container: NSPersistentContainer, _ options: Options = Options()
    ) -> Recorder {
        start(on: container.persistentStoreCoordinator, options)
    }

    /// Records the existing and the future contexts of a coordinator.
    @discardableResult
    public static func start(
        on coordinator: NSPersistentStoreCoordinator, _ options: Options = Options()
    ) -> Recorder {
        let recorder = Recorder(options)
        recorder.follow(coordinator)
        return recorder
    }

    /// Records the contexts of every coordinator that is created from now on. The environment
    /// variable `FAULTLINE_RECORD` does the same without code.
    ///
    /// The process retains the recorder. A second call returns the same recorder and ignores the
    /// options.
    @discardableResult
    public static func startForAll(_ options: Options = Options()) -> Recorder {
        ProcessRecorder.start(options)
    }

    /// Also records the contexts of another coordinator.
    public func follow(_ coordinator: NSPersistentStoreCoordinator) {
        followContextsToCome(of: coordinator)
        let roots = coordinator.roots.compactMap { $0 as? NSManagedObjectContext }
        for context in roots { join(context, of: coordinator) }
    }

    /// Records the future contexts of a coordinator.
    package func followContextsToCome(of coordinator: NSPersistentStoreCoordinator) {
        guard shared.add(coordinator, of: TestNames.current) else { return }
        // These closures retain the recorder. Therefore the caller need not retain it.
        coordinator.onAttach { [weak coordinator] context in
            guard let coordinator, let context = context as? NSManagedObjectContext else {
                return
            }
            self.record(context, of: coordinator)
        }
        coordinator.onCall { [weak coordinator] member in
            if let coordinator { self.note(member, on: coordinator) }
        }
    }

    /// Records a call on a coordinator. If a context's block makes the call, the log of that
    /// context records it.
    private func note(_ member: StaticString, on coordinator: NSPersistentStoreCoordinator) {
        if isStopped.load(ordering: .relaxed) { return }
        guard let listener = NSManagedObjectContext.current?.listener else {
            // Every program adds a store to its coordinator. Therefore the first such call is not
            // recorded.
            let isFirst =
                "\(member)".hasPrefix("addPersistentStore")
                && coordinator.persistentStores.count < 2
            if !isFirst { shared.noteCall(member, on: coordinator) }
            return
        }
        let isRemoval = "\(member)" == "remove(_:)"
        listener.note(isRemoval ? .removedStore : .called(member))
    }

    package static func make(_ options: Options) -> Recorder { Recorder(options) }

    private func join(
        _ context: NSManagedObjectContext, of coordinator: NSPersistentStoreCoordinator
    ) {
        let enter: @Sendable () -> Void = { [weak self, weak context, weak coordinator] in
            guard let self, let context, let coordinator else { return }
            self.record(context, of: coordinator)
            for child in context.liveChildren { self.join(child, of: coordinator) }
        }
        if context.hasNoObjects || context.queue.isCurrent {
            enter()
        } else {
            context.queue.enqueue("record", enter)
        }
    }

    private func record(
        _ context: NSManagedObjectContext, of coordinator: NSPersistentStoreCoordinator
    ) {
        if isStopped.load(ordering: .relaxed) { return }
        guard let number = shared.add(context, of: coordinator) else { return }
        let log = ContextLog(context, number: number, shared) { [weak self] event in
            self?.take(event)
        }
        // This call cannot fail, because a context that is being attached has an object registry.
        try? context.listen(log)
    }

    /// Stops recording future contexts, and waits for files that are being written.
    public func stop() {
        isStopped.store(true, ordering: .relaxed)
        files.sync {}
    }

    // MARK: Writing

    /// Returns the contents of the scenario file and of the transcript, which use the same tokens.
    public func text(
        reason: String = "The program requested it."
    ) -> (scenario: String, transcript: String) {
        let file = make(options.name, reason, .busiest)
        return (file.text, Self.transcript(file))
    }

    /// The recorded run of the store that most contexts have used, for detectors.
    package var recording: Recording {
        make(options.name, "The program requested it.", .busiest).recording
    }

    private static func transcript(_ file: ScenarioFile) -> String {
        file.transcript.joined(separator: "\n") + "\n"
    }

    /// Writes the scenario, the transcript and the recording. The method uses no context's queue,
    /// so it also works in a deadlock.
    ///
    /// - Parameter reason: a sentence for the reader of the files.
    /// - Throws: the error of the file system.
    @discardableResult
    public func write(
        to folder: URL, reason: String = "The program requested it."
    ) throws -> Files {
        try write(to: folder, reason: reason, about: .busiest)
    }

    /// - Parameter name: the prefix of the names of the scenario and its files; nil for the
    ///   recorder's name.
    private func write(
        to folder: URL, as name: String? = nil, reason: String, about subject: RunSubject,
        values: Values? = nil
    ) throws -> Files {
        let number = written.withLock { written in
            written.runs += 1
            return written.runs
        }
        let name = "\(name ?? options.name)-\(number)"
        let made = make(name, reason, subject, values)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = Files(
            scenario: folder.appendingPathComponent("\(name).yaml"),
            transcript: folder.appendingPathComponent("\(name).txt"),
            recording: folder.appendingPathComponent("\(name).json"))
        try made.text.write(to: files.scenario, atomically: true, encoding: .utf8)
        try Self.transcript(made).write(to: files.transcript, atomically: true, encoding: .utf8)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(RecordingFile(made.recording)).write(
            to: files.recording, options: .atomic)
        return files
    }

    /// Returns the recorded run as a value, for purposes other than a scenario file.
    ///
    /// - Parameter context: the number of a context whose store is the subject of the run; nil for
    ///   the store that most contexts have used.
    package func run(name: String, reason: String, about context: Int? = nil) -> RecordedRun {
        run(name: name, reason: reason, about: context.map { .context($0) } ?? .busiest)
    }

    private func run(name: String, reason: String, about subject: RunSubject) -> RecordedRun {
        var reader = LogReader(shared.snapshot(), about: subject)
        return reader.run(name: name, reason: reason)
    }

    private func make(
        _ name: String, _ reason: String, _ subject: RunSubject, _ values: Values? = nil
    ) -> ScenarioFile {
        let secrecy: ValueSecrecy =
            switch values ?? options.values {
            case .full: .full
            case .hashed: .hashed
            case .none: .none
            }
        return ScenarioWriter(
            run(name: name, reason: reason, about: subject), values: secrecy
        ).file()
    }

    // MARK: Events

    private func take(_ event: RecorderEvent) {
        guard options.writesConflicts, options.folder != nil else { return }
        switch event {
        case .conflict(let context, let error):
            let end = error.map { "the save failed with \($0)" } ?? "a merge policy resolved it"
            files.async {
                self.writeByItself("A save has found a conflict: \(end).", about: .context(context))
            }
        }
    }

    /// Writes the files if a new wait has exceeded the limit since the last check.
    ///
    /// - Returns: whether to continue checking.
    private func look(_ patience: Duration) -> Bool {
        if isStopped.load(ordering: .relaxed) { return false }
        let old = shared.oldWaits(patience)
        let new = written.withLock { written in
            defer { written.waits = Set(old.keys) }
            return old.filter { !written.waits.contains($0.key) }
        }
        if let wait = new.min(by: { $0.key < $1.key })?.value {
            writeByItself(
                "A context has waited for another context's queue for more than \(patience).",
                about: .context(wait.from))
        }
        return true
    }

    /// Writes the operations of the contexts of a failed test, once for each test. Each store that
    /// the test has created has separate files. If the test has created no store, the files
    /// describe the store that most contexts have used.
    ///
    /// - Parameters:
    ///   - test: the test's name in its framework.
    ///   - folder: the folder for the files; nil for the recorder's folder.
    ///   - values: the representation of values in the files; nil for that of the recorder's
    ///     options.
    /// - Returns: the files; empty if the test's files are already written, or if no folder is set.
    @discardableResult
    package func noteFailure(
        of test: String, named name: String, reason: String, to folder: URL? = nil,
        values: Values? = nil
    ) -> [Files] {
        guard let folder = folder ?? options.folder else { return [] }
        let mayWrite = written.withLock { written in
            written.tests.count < Self.testsMax && written.tests.insert(test).inserted
        }
        guard mayWrite else { return [] }
        let own = shared.coordinators(of: test).filter { shared.hasEntries($0) }
        let subjects: [RunSubject] = own.isEmpty ? [.busiest] : own.map { .coordinator($0) }
        return subjects.compactMap { subject in
            do {
                return try write(
                    to: folder, as: ScenarioWriter.name(like: name), reason: reason,
                    about: subject, values: values)
            } catch {
                written.withLock { $0.failure = error }
                EngineLog.error("the recording could not be written: \(error)")
                return nil
            }
        }
    }

    /// The maximum number of tests for which failures are written.
    private static let testsMax = 100

    func writeByItself(_ reason: String, about subject: RunSubject = .busiest) {
        guard let folder = options.folder else { return }
        let mayWrite = written.withLock { written in
            written.byItself += 1
            return written.byItself <= options.filesMax
        }
        guard mayWrite else { return }
        do { _ = try write(to: folder, reason: reason, about: subject) } catch {
            written.withLock { $0.failure = error }
        }
    }

    /// The error of the last automatic write that failed; nil if all writes succeeded.
    public var failure: (any Error)? { written.withLock { $0.failure } }
}
