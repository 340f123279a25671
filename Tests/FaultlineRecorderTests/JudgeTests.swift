import CoreData
import FaultlineRecorder
import Foundation
import LabRunner
import TestSupport
import Testing

/// Tests that recordings of bugs on real threads show the bugs, and that recordings of the cured
/// programs do not.
@Suite struct JudgeTests {
    /// A bug of the catalogue, as a program with or without the cure.
    struct Bug: Sendable, CustomTestStringConvertible {
        let finding: String
        /// The contexts of the two saves, or of the save and the read.
        let contexts: [String]
        let run: @Sendable (_ container: NSPersistentContainer, _ isCured: Bool) throws -> Void

        var testDescription: String { finding }
    }

    static let bugs = [
        Bug(finding: "lost update", contexts: ["till", "sync"], run: Programs.tills),
        Bug(finding: "blanked by trump", contexts: ["import"], run: Programs.sessions),
        Bug(finding: "stale read", contexts: ["sync", "screen"], run: Programs.refetch),
        Bug(finding: "unique race", contexts: ["push", "pull"], run: Programs.findOrCreate),
        Bug(finding: "ghost update", contexts: ["cleaner", "editor"], run: Programs.heldObject),
        Bug(finding: "read your writes", contexts: ["sync", "screen"], run: Programs.completion),
    ]

    private func recording(
        of bug: Bug, isCured: Bool, _ values: Recorder.Values = .full
    ) throws -> Recorder.Files {
        let container = try Programs.container()
        let recorder = Recorder.start(on: container, Recorder.Options(values: values))
        try bug.run(container, isCured)
        return try recorder.write(to: Stacks.folder())
    }

    @Test(arguments: bugs, [Recorder.Values.full, .hashed])
    func `a recording of a bug names the bug`(_ bug: Bug, _ values: Recorder.Values) throws {
        let files = try recording(of: bug, isCured: false, values)
        let report = try Lab.judge(recording: files.recording.path)
        let finding = try #require(
            report.findings.first { $0.name == bug.finding }, "\(report)")
        let told = ([finding.text] + finding.evidence).joined(separator: " ")
        for context in bug.contexts { #expect(told.contains(context), "\(report)") }
        #expect(Set(report.findings.map(\.name)) == [bug.finding], "\(report)")
        #expect(report.description.contains("not an"))
        // The lines of the evidence are lines of the transcript.
        let transcript = try String(contentsOf: files.transcript, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        for line in finding.evidence {
            let match = try #require(line.firstMatch(of: /^line (\d+): (\S+)/), "\(line)")
            let number = try #require(Int(match.1))
            let isContext = match.2 != "the"
            #expect(!isContext || transcript[number - 1].hasPrefix(match.2), "\(line)")
        }
    }

    @Test(arguments: bugs, [Recorder.Values.full, .hashed])
    func `a recording of the cured program has no finding`(
        _ bug: Bug, _ values: Recorder.Values
    ) throws {
        let files = try recording(of: bug, isCured: true, values)
        let report = try Lab.judge(recording: files.recording.path)
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test(arguments: bugs)
    func `without values the report names no finding and the missing values`(_ bug: Bug) throws {
        let files = try recording(of: bug, isCured: false, .none)
        let report = try Lab.judge(recording: files.recording.path)
        #expect(report.findings.isEmpty, "\(report)")
        #expect(report.missing.contains { $0.contains("all values") })
    }

    @Test func `the command prints the findings and exits with 1`() throws {
        guard ExploringCommand.isBuilt else { return }
        let bad = try recording(of: Self.bugs[0], isCured: false).recording
        let good = try recording(of: Self.bugs[0], isCured: true).recording
        let folder = bad.deletingLastPathComponent()
        let shown = try BuiltTool.run(["judge", good.path, bad.path], in: folder)
        #expect(shown.status == 1, "\(shown.complaint)")
        #expect(shown.output.contains("lost update: "))
        #expect(shown.output.contains("./faultline explore \(folder.path)/recorded-1.yaml"))
        let json = try BuiltTool.run(["judge", bad.path, "--format", "json"], in: folder)
        let reports = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
        let findings = try #require(reports.first?["findings"] as? [[String: Any]])
        #expect(findings.first?["name"] as? String == "lost update")
        #expect(try BuiltTool.run(["judge", good.path], in: folder).status == 0)
        let wrong = try BuiltTool.run(["judge", "recorded-1.yaml"], in: folder)
        #expect(wrong.status == 2)
        #expect(wrong.complaint.contains("pass recorded-1.json"))
    }

    @Test func `a recorder can be judged without a file`() throws {
        let container = try Programs.container()
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        try Programs.tills(container, isCured: false)
        let report = Lab.judge(recorder)
        #expect(report.findings.map(\.name) == ["lost update"], "\(report)")
        #expect(report.findings[0].text.contains("15"))
    }

    @Test func `a recording reports the facts that it lacks`() throws {
        let container = try Programs.container()
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        let context = Stacks.context("import", of: container)
        try context.performAndWait {
            for number in 0..<40 {
                let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                item.setValue(String(repeating: "x", count: 250 + number), forKey: "code")
            }
            try context.save()
        }
        let missing = Lab.judge(recorder).missing
        #expect(missing.contains { $0.contains("40 values") }, "\(missing)")
        #expect(missing.contains { $0.contains("24 objects of saves") }, "\(missing)")
    }
}

/// Programs with bugs from the catalogue of merge bugs.
private enum Programs {
    /// A container with an item (10 pieces) and the session `u1` of version 1.2.3.
    static func container() throws -> NSPersistentContainer {
        let model = NSManagedObjectModel()
        let session = NSEntityDescription()
        session.name = "Session"
        session.managedObjectClassName = "NSManagedObject"
        session.properties = ["id", "app"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        session.uniquenessConstraints = [["id"]]
        let item = NSEntityDescription()
        item.name = "Item"
        item.managedObjectClassName = "NSManagedObject"
        item.properties = [
            ("code", NSAttributeType.stringAttributeType), ("amount", .integer64AttributeType),
        ].map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        model.entities = [item, session]
        let container = NSPersistentContainer(name: "Judged", managedObjectModel: model)
        let folder = Stacks.folder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("store.sqlite"))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    /// Two contexts add to one number. The cured contexts repeat a save that met a conflict.
    static func tills(_ container: NSPersistentContainer, isCured: Bool) throws {
        let id = try Stacks.insert("Item", ["code": "a", "amount": 10], in: container)
        let meeting = Meeting(2)
        try Meeting.run(
            [("till", 5), ("sync", 7)].map { name, amount in
                {
                    let context = Stacks.context(name, of: container)
                    if !isCured { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
                    try context.performAndWait {
                        let item = try context.existingObject(with: id)
                        func add() {
                            let old = item.value(forKey: "amount") as? Int ?? 0
                            item.setValue(old + amount, forKey: "amount")
                        }
                        add()
                        meeting.wait()
                        do { try context.save() } catch {
                            context.refresh(item, mergeChanges: false)
                            add()
                            try context.save()
                        }
                    }
                }
            })
    }

    /// An import inserts a second session with the same key and without a version. The cured import
    /// fetches the session first.
    static func sessions(_ container: NSPersistentContainer, isCured: Bool) throws {
        _ = try Stacks.insert("Session", ["id": "u1", "app": "1.2.3"], in: container)
        try Meeting.run([
            {
                let context = Stacks.context("import", of: container)
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try context.performAndWait {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Session")
                    request.predicate = NSPredicate(format: "id == %@", "u1")
                    if isCured, try context.fetch(request).first != nil { return }
                    let made = NSEntityDescription.insertNewObject(
                        forEntityName: "Session", into: context)
                    made.setValue("u1", forKey: "id")
                    try context.save()
                }
            }
        ])
    }

    /// A screen fetches an object again after another context's save, and still has the old value.
    /// The cured screen refreshes the object.
    static func refetch(_ container: NSPersistentContainer, isCured: Bool) throws {
        let id = try Stacks.insert("Item", ["code": "FIAT"], in: container)
        let (before, after) = (Meeting(2), Meeting(2))
        try Meeting.run([
            {
                let context = Stacks.context("screen", of: container)
                try context.performAndWait {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                    let item = try context.fetch(request)[0]
                    _ = item.value(forKey: "code")
                    before.wait()
                    after.wait()
                    if isCured { context.refresh(item, mergeChanges: false) }
                    _ = try context.fetch(request)[0].value(forKey: "code")
                }
            },
            {
                let context = Stacks.context("sync", of: container)
                try context.performAndWait {
                    before.wait()
                    try context.existingObject(with: id).setValue("FCA", forKey: "code")
                    try context.save()
                    after.wait()
                }
            },
        ])
    }

    /// Two contexts look for an item and create it. The cured contexts do so one after another.
    static func findOrCreate(_ container: NSPersistentContainer, isCured: Bool) throws {
        let meeting = Meeting(2)
        let lock = NSLock()
        try Meeting.run(
            ["push", "pull"].map { name in
                {
                    let context = Stacks.context(name, of: container)
                    if isCured { lock.lock() }
                    defer { if isCured { lock.unlock() } }
                    try context.performAndWait {
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                        request.predicate = NSPredicate(format: "code == %@", "a-1")
                        let isMissing = try context.fetch(request).isEmpty
                        if !isCured { meeting.wait() }
                        guard isMissing else { return }
                        let item = NSEntityDescription.insertNewObject(
                            forEntityName: "Item", into: context)
                        item.setValue("a-1", forKey: "code")
                        try context.save()
                    }
                }
            })
    }

    /// An editor saves an object that another context has deleted. The cured editor looks for the
    /// object first.
    static func heldObject(_ container: NSPersistentContainer, isCured: Bool) throws {
        let id = try Stacks.insert("Item", ["code": "a", "amount": 1], in: container)
        let (before, after) = (Meeting(2), Meeting(2))
        try Meeting.run([
            {
                let context = Stacks.context("editor", of: container)
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try context.performAndWait {
                    let item = try context.existingObject(with: id)
                    _ = item.value(forKey: "code")
                    before.wait()
                    after.wait()
                    if isCured {
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                        if try context.fetch(request).isEmpty { return }
                    }
                    item.setValue("b", forKey: "code")
                    try context.save()
                }
            },
            {
                let context = Stacks.context("cleaner", of: container)
                try context.performAndWait {
                    before.wait()
                    context.delete(try context.existingObject(with: id))
                    try context.save()
                    after.wait()
                }
            },
        ])
    }

    /// A completion block reads an object on the screen's queue before the save is merged there.
    /// The cured block refreshes the object.
    static func completion(_ container: NSPersistentContainer, isCured: Bool) throws {
        let id = try Stacks.insert("Item", ["amount": 1], in: container)
        let screen = Stacks.context("screen", of: container)
        let sync = Stacks.context("sync", of: container)
        try Meeting.run([
            {
                // The screen shows the object, so it stays in memory.
                let shown = try screen.performAndWait {
                    let item = try screen.existingObject(with: id)
                    _ = item.value(forKey: "amount")
                    return item
                }
                defer { withExtendedLifetime(shown) {} }
                try sync.performAndWait {
                    try sync.existingObject(with: id).setValue(2, forKey: "amount")
                    try sync.save()
                    try screen.performAndWait {
                        let item = try screen.existingObject(with: id)
                        if isCured { screen.refresh(item, mergeChanges: false) }
                        _ = item.value(forKey: "amount")
                    }
                }
            }
        ])
    }
}
