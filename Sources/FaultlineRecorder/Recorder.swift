import CoreData
import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import Foundation
import ScenarioWriting
import Synchronization

/// Notes what contexts do on real threads, and writes it down as a scenario file, whose other
/// orders `faultline explore` runs.
///
///     let recorder = Recorder.start(on: container)
///     …
///     try recorder.write(to: folder)
///
/// Costs a few per cent of the work of contexts, and a few megabytes. May be used from any thread.
public final class Recorder: Sendable {
    /// Which values of the program's own a file may have.
    public enum Values: String, Sendable, CaseIterable {
        /// The values themselves.
        case full
        /// Tokens that are equal where values are, drawn anew for each file. Of numbers their order
        /// and the proportions of their differences are kept, of dates their order.
        case hashed
        /// Tokens that are all different.
        case none
    }

    /// How a recorder works.
    public struct Options: Sendable {
        /// Which values files may have.
        public var values = Values.hashed
        /// Where files go that the recorder writes by itself; nil to write none.
        public var folder: URL?
        /// The first part of the names of scenarios and files.
        public var name = "recorded"
        /// About so many bytes are kept: the newest.
        public var memory = 4 << 20
        /// Whether a save that conflicts is written down, also where a merge policy resolves it.
        public var writesConflicts = true
        /// A context that waits for another one's queue for so long is written down; nil for never.
        public var patience: Duration? = .seconds(10)
        /// No more runs than these are written without being asked for.
        public var filesMax = 10

        /// Hashed values; nothing is written until somebody asks.
        public init(values: Values = .hashed, folder: URL? = nil) {
            self.values = values
            self.folder = folder
        }
    }

    /// The files of one run.
    public struct Files: Sendable {
        /// The scenario, for `faultline explore`.
        public let scenario: URL
        /// What the contexts did, line by line.
        public let transcript: URL
    }

    private let options: Options
    private let shared: SharedLog
    private let isStopped = Atomic<Bool>(false)
    private let written = Mutex(Written())
    private let files = DispatchQueue(label: "Faultline recorder")

    private struct Written: Sendable {
        var runs = 0
        var byItself = 0
        /// The blocks of the waits that were old at the last look, all of them written down.
        var waits: Set<Int> = []
        /// The tests whose failures were written down.
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

    /// Records the contexts of a container: those that there are, and those to come.
    ///
    /// A context that has objects already is recorded from its next block on. The coordinator
    /// keeps the recorder.
    @discardableResult
    public static func start(
        on container: NSPersistentContainer, _ options: Options = Options()
    ) -> Recorder {
        start(on: container.persistentStoreCoordinator, options)
    }

    /// Records the contexts of a coordinator: those that there are, and those to come.
    @discardableResult
    public static func start(
        on coordinator: NSPersistentStoreCoordinator, _ options: Options = Options()
    ) -> Recorder {
        let recorder = Recorder(options)
        recorder.follow(coordinator)
        return recorder
    }

    /// Records the contexts of every coordinator that is made from now on, as
    /// `FAULTLINE_RECORD` has it done without code.
    ///
    /// The process keeps the recorder. Where it has one already, that is given back, whatever the
    /// options say.
    @discardableResult
    public static func startForAll(_ options: Options = Options()) -> Recorder {
        ProcessRecorder.start(options)
    }

    /// Records the contexts of a further coordinator into the same run.
    public func follow(_ coordinator: NSPersistentStoreCoordinator) {
        followContextsToCome(of: coordinator)
        let roots = coordinator.roots.compactMap { $0 as? NSManagedObjectContext }
        for context in roots { join(context, of: coordinator) }
    }

    /// Records the contexts of a coordinator that are not there yet.
    package func followContextsToCome(of coordinator: NSPersistentStoreCoordinator) {
        guard shared.add(coordinator, of: TestNames.current) else { return }
        // The coordinator keeps the recorder: nobody has to hold it.
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

    /// Notes what a program does with a coordinator: with the context whose code does it, where
    /// there is one.
    private func note(_ member: StaticString, on coordinator: NSPersistentStoreCoordinator) {
        if isStopped.load(ordering: .relaxed) { return }
        guard let listener = NSManagedObjectContext.current?.listener else {
            // Every stack has a store.
            let isFirst =
                "\(member)".hasPrefix("addPersistentStore")
                && coordinator.persistentStores.count < 2
            if !isFirst { shared.noteCall(member, on: coordinator) }
            return
        }
        let isRemoval = "\(member)" == "remove(_:)"
        listener.note(isRemoval ? .removedStore : .called(member))
    }

    /// A recorder for every coordinator that is to come.
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
        // A context that is being attached has a registry.
        try? context.listen(log)
    }

    /// Ends the recording of contexts to come, and waits for what is being written.
    public func stop() {
        isStopped.store(true, ordering: .relaxed)
        files.sync {}
    }

    // MARK: Writing

    /// The scenario file of what was recorded, and the transcript with the same tokens.
    public func text(
        reason: String = "Somebody asked for it."
    ) -> (scenario: String, transcript: String) {
        make(options.name, reason, .busiest)
    }

    /// Writes the scenario and the transcript, whatever threads are waiting for.
    ///
    /// - Parameter reason: a sentence for those who read the files.
    /// - Throws: what the file system reports.
    @discardableResult
    public func write(
        to folder: URL, reason: String = "Somebody asked for it."
    ) throws -> Files {
        try write(to: folder, reason: reason, about: .busiest)
    }

    /// - Parameter name: the first part of the names of scenario and files; the recorder's own
    ///   where it is nil.
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
            transcript: folder.appendingPathComponent("\(name).txt"))
        try made.scenario.write(to: files.scenario, atomically: true, encoding: .utf8)
        try made.transcript.write(to: files.transcript, atomically: true, encoding: .utf8)
        return files
    }

    /// The run as values, for those who write something else of it.
    ///
    /// - Parameter context: the number of a context whose store the run is about; nil for the store
    ///   that most contexts have used.
    package func run(name: String, reason: String, about context: Int? = nil) -> RecordedRun {
        run(name: name, reason: reason, about: context.map { .context($0) } ?? .busiest)
    }

    private func run(name: String, reason: String, about subject: RunSubject) -> RecordedRun {
        var reader = LogReader(shared.snapshot(), about: subject)
        return reader.run(name: name, reason: reason)
    }

    private func make(
        _ name: String, _ reason: String, _ subject: RunSubject, _ values: Values? = nil
    ) -> (scenario: String, transcript: String) {
        let secrecy: ValueSecrecy =
            switch values ?? options.values {
            case .full: .full
            case .hashed: .hashed
            case .none: .none
            }
        let file = ScenarioWriter(
            run(name: name, reason: reason, about: subject), values: secrecy
        ).file()
        return (file.text, file.transcript.joined(separator: "\n") + "\n")
    }

    // MARK: Events

    private func take(_ event: RecorderEvent) {
        guard options.writesConflicts, options.folder != nil else { return }
        switch event {
        case .conflict(let context, let error):
            let end = error.map { "the save failed with \($0)" } ?? "a merge policy resolved it"
            files.async {
                self.writeByItself("A save has met a conflict: \(end).", about: .context(context))
            }
        }
    }

    /// Writes down a wait that has lasted too long.
    ///
    /// - Returns: whether to look again.
    private func look(_ patience: Duration) -> Bool {
        if isStopped.load(ordering: .relaxed) { return false }
        let old = shared.oldWaits(patience)
        let new = written.withLock { written in
            defer { written.waits = Set(old.keys) }
            return old.filter { !written.waits.contains($0.key) }
        }
        if let wait = new.min(by: { $0.key < $1.key })?.value {
            writeByItself(
                "A context has waited for another one's queue for more than \(patience).",
                about: .context(wait.from))
        }
        return true
    }

    /// Writes down what the contexts of a test did that fails, once for each test: a file for each
    /// store that the test has made, or one for the store that most contexts have used.
    ///
    /// - Parameters:
    ///   - test: the test as its framework names it.
    ///   - folder: where the files go; the recorder's own folder where it is nil.
    ///   - values: which values they may have; what the options say where it is nil.
    /// - Returns: the files; none where this test has some, or where there is no folder.
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
                EngineLog.error("what was recorded could not be written: \(error)")
                return nil
            }
        }
    }

    /// Failures of more tests than these are not written down.
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

    /// Why the last file that the recorder wrote by itself could not be written; nil where all
    /// were.
    public var failure: (any Error)? { written.withLock { $0.failure } }
}
