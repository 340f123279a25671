import CoreData
import FaultlineRecorder
import Foundation
import LabResults
import ScenarioWriting
import Testing

@Suite struct RecorderTests {
    private func change(
        _ id: NSManagedObjectID, by amount: Int, in context: NSManagedObjectContext,
        meeting: Meeting? = nil
    ) throws {
        try context.performAndWait {
            let item = try context.existingObject(with: id)
            let old = item.value(forKey: "amount") as? Int ?? 0
            item.setValue(old + amount, forKey: "amount")
            meeting?.wait()
            try context.save()
        }
    }

    @Test func `a save with a conflict is recorded automatically`() throws {
        let container = try Stacks.make()
        let id = try Stacks.insert("Item", ["amount": 41_000], in: container)
        let folder = Stacks.folder()
        let recorder = Recorder.start(
            on: container, Recorder.Options(values: .full, folder: folder))
        let meeting = Meeting(2)
        try Meeting.run(
            [5, 7].map { amount in
                {
                    let context = Stacks.context("till\(amount)", of: container)
                    // One of the two saves fails with a conflict, which an app would report.
                    try? self.change(id, by: amount, in: context, meeting: meeting)
                }
            })
        recorder.stop()
        #expect(recorder.failure == nil)
        let text = try String(
            contentsOf: folder.appendingPathComponent("recorded-1.yaml"), encoding: .utf8)
        #expect(text.contains("the save failed with 133020"))
        #expect(text.contains("133020"))
        let result = try Explored.result(of: text)
        #expect(Explored.recorded(result) > 0)
        let transcript = try String(
            contentsOf: folder.appendingPathComponent("recorded-1.txt"), encoding: .utf8)
        #expect(transcript.contains("finds a conflict (locking) on item1"))
        #expect(transcript.contains("sets item1.amount: 41000 → 41005"))
    }

    @Test func `a run without conflicts is recorded on request`() throws {
        let container = try Stacks.make()
        let id = try Stacks.insert("Item", in: container)
        let folder = Stacks.folder()
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        try change(id, by: 1, in: Stacks.context("one", of: container))
        try change(id, by: 2, in: Stacks.context("two", of: container))
        let files = try recorder.write(to: folder)
        let text = try String(contentsOf: files.scenario, encoding: .utf8)
        let result = try Explored.result(of: text)
        // The recorded saves succeeded one after the other. In other schedules both contexts read
        // first, and one change is lost.
        #expect(result.outcomes.contains { $0.grade == .unmatched })
        #expect(Explored.recorded(result) > 0)
    }

    @Test func `no value of the store is in the files with hashed values`() throws {
        let container = try Stacks.make()
        let secrets: [String: Any] = [
            "code": "Geheimnis 9", "price": 9123.75, "amount": 8_881_234,
            "sold": Date(timeIntervalSinceReferenceDate: 712_345_678),
            "serial": UUID(), "seal": Data([9, 8, 7, 6, 5, 4]),
        ]
        let id = try Stacks.insert("Item", secrets, in: container)
        let recorder = Recorder.start(on: container)
        for name in ["a", "b"] {
            let context = Stacks.context(name, of: container)
            try context.performAndWait {
                for (key, value) in secrets {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                    request.predicate = NSComparisonPredicate(
                        leftExpression: NSExpression(forKeyPath: key),
                        rightExpression: NSExpression(forConstantValue: value), modifier: .direct,
                        type: .equalTo, options: [])
                    for item in try context.fetch(request) { _ = item.value(forKey: key) }
                }
                let item = try context.existingObject(with: id)
                item.setValue("Geheimnis 10", forKey: "code")
                item.setValue(8_881_299, forKey: "amount")
                try context.save()
            }
        }
        let files = recorder.text()
        let serial = try #require(secrets["serial"] as? UUID).uuidString
        for text in [files.scenario, files.transcript] {
            for secret in [
                "Geheimnis", "9123", "8881234", "8881299", "712345678", "2023-07-2", serial,
                String(serial.prefix(8)), "CQgHBgUE",
            ] {
                #expect(!text.contains(secret), "\(secret)")
            }
            #expect(text.contains("Item"))
        }
        #expect(Explored.recorded(try Explored.result(of: files.scenario)) > 0)
    }

    @Test func `memory is bounded and dropped entries are counted`() throws {
        let container = try Stacks.make()
        let id = try Stacks.insert("Item", in: container)
        var options = Recorder.Options(values: .full)
        options.memory = 64 << 10
        let recorder = Recorder.start(on: container, options)
        let context = Stacks.context("busy", of: container)
        for _ in 0..<2_000 { try change(id, by: 1, in: context) }
        let run = recorder.run(name: "busy", reason: "A test.")
        #expect(run.forgotten > 1_000)
        #expect(run.operations.count < 10_000)
        _ = try Explored.result(of: recorder.text().scenario)
    }

    @Test func `frequent events are kept up to a bound and counted`() throws {
        let container = try Stacks.make()
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        let context = Stacks.context("bulk", of: container)
        try context.performAndWait {
            for number in 0..<5_000 {
                let item = NSEntityDescription.insertNewObject(
                    forEntityName: "Item", into: context)
                item.setValue(number, forKey: "amount")
            }
            try context.save()
        }
        let run = recorder.run(name: "bulk", reason: "A test.")
        #expect(run.operations.count < 1_000)
        let told = run.operations.contains { operation in
            if case .skipped(9488) = operation.action { return true }
            return false
        }
        #expect(told)
    }

    @Test func `a merge by an observer's block is an observer in the scenario`() throws {
        let container = try Stacks.make()
        let id = try Stacks.insert("Item", ["amount": 1], in: container)
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        let (shown, writer) = (
            Stacks.context("shown", of: container), Stacks.context("writer", of: container)
        )
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: writer, queue: nil
        ) { note in
            // `@unchecked Sendable` because the block reads immutable values.
            nonisolated(unsafe) let note = note
            shown.perform { shown.mergeChanges(fromContextDidSave: note) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        _ = try shown.performAndWait {
            try shown.existingObject(with: id).value(forKey: "amount")
        }
        try change(id, by: 3, in: writer)
        shown.performAndWait {}
        let text = recorder.text().scenario
        #expect(text.contains("on-save: [block1]"))
        #expect(text.contains("merge next from writer"))
        #expect(Explored.recorded(try Explored.result(of: text)) > 0)
    }

    @Test func `saves of a child context go through its parent`() throws {
        let container = try Stacks.make()
        let id = try Stacks.insert("Item", ["amount": 1], in: container)
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        let parent = Stacks.context("screen", of: container)
        let child = NSManagedObjectContext(.privateQueue)
        child.name = "sheet"
        child.parent = parent
        try change(id, by: 3, in: child)
        try parent.performAndWait { try parent.save() }
        let text = recorder.text().scenario
        #expect(text.contains("sheet: {parent: screen}"))
        let result = try Explored.result(of: text)
        #expect(Explored.recorded(result) > 0)
    }

    @Test func `existing contexts are recorded, too`() throws {
        let container = try Stacks.make()
        let id = try Stacks.insert("Item", ["amount": 1], in: container)
        let context = Stacks.context("old", of: container)
        let item = try context.performAndWait {
            let item = try context.existingObject(with: id)
            _ = item.value(forKey: "amount")
            return item.objectID
        }
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        try change(item, by: 4, in: context)
        #expect(recorder.text().transcript.contains("old  sets item1.amount: 1 → 5"))
    }
}
