import ContextHistory
import CoreData
import FaultlineRecorder
import Foundation
import LabCheck
import LabResults
import LabRunner
import ScenarioWriting
import Testing

/// Compares the findings of a recording with those of the scenario that is written from the same
/// run. The lab runs the scenario in the recorded order. The programs are random; their contexts
/// run on separate queues, one operation at a time.
@Suite struct GeneratedRecordingTests {
    private static let count = 150

    /// The findings in which the two can differ:
    /// - `half-way save`, `missed merge` and `no convergence` are about the end of a program, which
    ///   a recording does not contain.
    /// - `engine error` names errors of a save that are in the transcript of a recording.
    /// - `unique race` requires, in a recording, that the inserted object has the values for which
    ///   the context looked. In a scenario, any object of the entity counts.
    private static let leftOut: Set<String> = [
        "half-way save", "missed merge", "no convergence", "engine error", "unique race",
    ]

    @Test(arguments: [Recorder.Values.full, .hashed])
    func `a recording has the findings of its scenario in the recorded order`(
        _ values: Recorder.Values
    ) throws {
        var seen: [String: Int] = [:]
        var compared = 0
        for seed in 1...UInt64(Self.count) {
            let run = try RandomRun(seed: seed).recorded()
            let file = ScenarioWriter(run, values: values == .full ? .full : .hashed).file()
            guard file.unsaid.isEmpty else { continue }
            compared += 1
            let told = Detectors.findings(in: file.recording.history, isEnded: false)
            let own = Set(told.map(\.name))
            let replayed = try Self.replayed(file)
            for name in own { seen[name, default: 0] += 1 }
            let proses = told.map(\.prose).joined(separator: "\n")
            #expect(
                own.subtracting(Self.leftOut) == replayed.subtracting(Self.leftOut),
                "seed \(seed)\n\(proses)\n\(file.text)")
            #expect(!own.contains("unique race") || replayed.contains("unique race"))
        }
        // Programs without any finding would not test anything.
        #expect(compared > Self.count / 2)
        for name in ["lost update", "stale read", "ghost update", "unique race"] {
            #expect(seen[name, default: 0] > 0, "\(seen)")
        }
    }

    private static func replayed(_ file: ScenarioFile) throws -> Set<String> {
        let folder = Stacks.folder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("recorded.yaml").path
        try file.text.write(toFile: path, atomically: true, encoding: .utf8)
        let token = "lab1:recorded@00000000:-:\(file.order.joined(separator: "."))"
        let result = try ScenarioSuite(SuiteOptions()).replay(token, in: [path]).result
        return Set(result.findings.map(\.name))
    }

    @Test func `no finding depends on a fact that a recording lacks`() throws {
        for seed in 1...UInt64(Self.count) {
            let run = try RandomRun(seed: seed).recorded()
            let all = Set(Self.findings(run))
            var dice = Dice(seed: seed)
            for _ in 0..<4 {
                let found = Self.findings(Forgetting.some(of: run, &dice))
                #expect(all.isSuperset(of: found), "seed \(seed): \(found)")
            }
        }
    }

    private static func findings(_ run: RecordedRun) -> [String] {
        let file = ScenarioWriter(run, values: .full).file()
        // The lines above the operations contain notes about lost values.
        let head = (file.transcript.firstIndex(of: "") ?? 0) + 1
        return Detectors.findings(in: file.recording.history, isEnded: false).map { found in
            // If one of several equal fetches is missing in the run, the finding can name the next
            // one.
            if found.name == "phantom" { return found.name }
            let line = Int(found.step.dropFirst("line ".count)) ?? 0
            return "\(found.name) in operation \(line - head)"
        }
    }
}

/// Replaces values of a run by lost ones.
private enum Forgetting {
    static func some(of run: RecordedRun, _ dice: inout Dice) -> RecordedRun {
        var run = run
        run.operations = run.operations.map { operation in
            RecordedOperation(
                operation.context, action(operation.action, &dice),
                isOverlapped: operation.isOverlapped || dice.next(10) == 0)
        }
        return run
    }

    private static func action(_ action: RecordedAction, _ dice: inout Dice) -> RecordedAction {
        switch action {
        case .read(let object, let key, let value, let source):
            return .read(object, key: key, lost(value, &dice), from: source)
        case .set(let object, let key, let value, let old):
            return .set(object, key: key, lost(value, &dice), old: old)
        case .commit(let rows, let missing):
            let kept = rows.filter { _ in dice.next(12) > 0 }
            return .commit(
                kept.map { row($0, &dice) }, missing: missing + rows.count - kept.count)
        default: return action
        }
    }

    private static func row(_ row: RecordedRow, _ dice: inout Dice) -> RecordedRow {
        var row = row
        row.base = snapshot(row.base, &dice)
        row.stored = snapshot(row.stored, &dice)
        row.after = snapshot(row.after, &dice)
        row.wanted = values(row.wanted, &dice)
        return row
    }

    private static func snapshot(
        _ snapshot: RecordedSnapshot?, _ dice: inout Dice
    ) -> RecordedSnapshot? {
        guard let snapshot else { return nil }
        return RecordedSnapshot(version: snapshot.version, values(snapshot.values, &dice))
    }

    private static func values(
        _ values: [String: RecordedValue], _ dice: inout Dice
    ) -> [String: RecordedValue] {
        var lost: [String: RecordedValue] = [:]
        for key in values.keys.sorted() { lost[key] = values[key].map { self.lost($0, &dice) } }
        return lost
    }

    private static func lost(_ value: RecordedValue, _ dice: inout Dice) -> RecordedValue {
        dice.next(8) == 0 ? .lost("a value") : value
    }
}

/// A generator of random numbers with a seed.
private struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    mutating func next(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}

/// A random program on two or three contexts of one store.
private struct RandomRun {
    private let seed: UInt64

    init(seed: UInt64) { self.seed = seed }

    /// Runs the program with a recorder.
    func recorded() throws -> RecordedRun {
        var dice = Dice(seed: seed)
        let container = try Stacks.make()
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        let first = try Stacks.insert("Item", ["code": "a", "amount": 10], in: container)
        let second = try Stacks.insert("Item", ["code": "b", "amount": 20], in: container)
        let policies = [
            NSMergePolicy.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump,
            .overwrite, .rollback,
        ]
        let authors = (0..<(2 + dice.next(2))).map { number in
            let context = Stacks.context("c\(number)", of: container)
            context.mergePolicy = policies[dice.next(policies.count)]
            return Author(context: context, ids: [first, second])
        }
        for _ in 0..<(6 + dice.next(10)) {
            let author = authors[dice.next(authors.count)]
            try author.act(dice.next(13), on: dice.next(2), amount: 1 + dice.next(5))
        }
        for author in authors { try author.act(8, on: 0, amount: 1) }
        return recorder.run(name: "recorded", reason: "A test.")
    }

    /// A context with the operations of the program. Like the steps of a scenario, the program
    /// holds the objects that it has used.
    private final class Author {
        private let context: NSManagedObjectContext
        private let ids: [NSManagedObjectID]
        private var held: [NSManagedObject] = []
        private var items: [Int: NSManagedObject] = [:]

        init(context: NSManagedObjectContext, ids: [NSManagedObjectID]) {
            self.context = context
            self.ids = ids
        }

        func act(_ operation: Int, on number: Int, amount: Int) throws {
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(format: "code == %@", "c")
                // An object that the context has deleted and saved belongs to no context.
                let known = items[number].flatMap { $0.managedObjectContext == nil ? nil : $0 }
                let item = try? known ?? context.existingObject(with: ids[number])
                items[number] = item
                switch operation {
                case 0, 1:
                    guard let item, !item.isDeleted else { return }
                    let old = item.value(forKey: "amount") as? Int ?? 0
                    item.setValue(old + amount, forKey: "amount")
                case 2: _ = item?.value(forKey: "amount")
                case 3:
                    if let item, !item.isDeleted { item.setValue("x\(amount)", forKey: "code") }
                case 4:
                    if let item, !item.isDeleted, amount > 2 { context.delete(item) }
                case 5, 11:
                    if try context.fetch(request).isEmpty {
                        let made = NSEntityDescription.insertNewObject(
                            forEntityName: "Item", into: context)
                        made.setValue("c", forKey: "code")
                        held.append(made)
                    }
                case 6:
                    let all = NSFetchRequest<NSManagedObject>(entityName: "Item")
                    for found in try context.fetch(all) {
                        held.append(found)
                        _ = found.value(forKey: "amount")
                    }
                case 7: if let item { context.refresh(item, mergeChanges: amount > 2) }
                case 8, 9, 10:
                    do { try context.save() } catch { context.rollback() }
                default: if amount > 3 { context.rollback() }
                }
            }
        }
    }
}
