import CoreData
import FaultlineRecorder
import Foundation
import LabResults
import Testing

/// Recordings of bugs on real threads reproduce the bugs in the lab and in `faultline explore`.
@Suite struct PlantedBugRecordingTests {
    @Test(arguments: [Recorder.Values.full, .hashed])
    func `an importer that finds or creates on two queues is recorded`(_ values: Recorder.Values)
        throws
    {
        let container = try Stacks.make()
        let recorder = Recorder.start(on: container, Recorder.Options(values: values))
        let meeting = Meeting(2)
        try Meeting.run(
            ["push", "pull"].map { name in
                {
                    let context = Stacks.context(name, of: container)
                    try context.performAndWait {
                        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                        request.predicate = NSPredicate(format: "code == %@", "a-1")
                        let isMissing = try context.fetch(request).isEmpty
                        meeting.wait()
                        guard isMissing else { return }
                        let item = NSEntityDescription.insertNewObject(
                            forEntityName: "Item", into: context)
                        item.setValue("a-1", forKey: "code")
                        try context.save()
                    }
                }
            })
        let text = recorder.text().scenario
        let result = try Explored.result(of: text)
        #expect(Explored.recorded(result) > 0)
        #expect(result.findings.contains { $0.name == "unique race" })
        try ExploringCommand.expectRecorded("unique race", in: text)
        #expect(result.outcomes.contains { $0.grade == .acceptable })
    }

    @Test(arguments: [Recorder.Values.full, .hashed])
    func `a count that willSave updates is recorded`(_ values: Recorder.Values) throws {
        let container = try Stacks.make()
        let id = try Stacks.insert("Shelf", in: container)
        let recorder = Recorder.start(on: container, Recorder.Options(values: values))
        let meeting = Meeting(2)
        try Meeting.run(
            ["scanner", "desk"].map { name in
                {
                    let context = Stacks.context(name, of: container)
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    try context.performAndWait {
                        let shelf = try context.existingObject(with: id)
                        let book = NSEntityDescription.insertNewObject(
                            forEntityName: "Book", into: context)
                        book.setValue(shelf, forKey: "shelf")
                        // An app reads the books to show them in a table.
                        _ = shelf.value(forKey: "books")
                        shelf.setValue(shelf.value(forKey: "count"), forKey: "count")
                        meeting.wait()
                        try context.save()
                    }
                }
            })
        let text = recorder.text().scenario
        let result = try Explored.result(of: text)
        #expect(Explored.recorded(result) > 0)
        #expect(result.findings.contains { $0.name == "lost update" })
        try ExploringCommand.expectRecorded("lost update", in: text)
        #expect(text.contains("policy: objectTrump"))
    }

    @Test(arguments: [Recorder.Values.full, .hashed])
    func `a did-save that waits for the main queue is recorded while threads hang`(
        _ values: Recorder.Values
    ) async throws {
        let folder = Stacks.folder()
        await #expect(processExitsWith: .success) {
            [path = folder.path as String, name = values.rawValue as String] in
            try await hang(
                writingTo: URL(fileURLWithPath: path), Recorder.Values(rawValue: name) ?? .none)
        }
        let text = try String(contentsOf: try #require(whole(in: folder)), encoding: .utf8)
        let result = try Explored.result(of: text)
        #expect(Explored.recorded(result) > 0, "\(text)")
        #expect(result.findings.contains { $0.name == "deadlock" })
        try ExploringCommand.expectRecorded("deadlock", in: text)
        #expect(result.outcomes.allSatisfy { $0.grade != .unmatched })
        #expect(text.contains("waits-on-save"))
    }
}

/// The first scenario file in which both threads wait; nil if no file has both waits. On a busy
/// machine, the first file may show only one of them.
private func whole(in folder: URL) -> URL? {
    for number in 1...1_000 {
        let file = folder.appendingPathComponent("recorded-\(number)")
        let transcript = file.appendingPathExtension("txt")
        guard let text = try? String(contentsOf: transcript, encoding: .utf8) else { return nil }
        if text.components(separatedBy: "waits for block").count > 2 {
            return file.appendingPathExtension("yaml")
        }
    }
    return nil
}

/// Makes the main queue and a saving context wait for each other. Returns when the scenario is
/// written.
private func hang(writingTo folder: URL, _ values: Recorder.Values) async throws {
    let container = try Stacks.make()
    let id = try Stacks.insert("Item", ["amount": 1], in: container)
    var options = Recorder.Options(values: values, folder: folder)
    options.patience = .milliseconds(100)
    Recorder.start(on: container, options)
    let (screen, background) = (container.viewContext, Stacks.context("sync", of: container))
    let meeting = Meeting(2)
    _ = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: background, queue: nil
    ) { note in
        // `@unchecked Sendable` because the block runs while the notification is posted.
        nonisolated(unsafe) let note = note
        meeting.wait()
        screen.performAndWait { screen.mergeChanges(fromContextDidSave: note) }
    }
    Thread {
        try? background.performAndWait {
            let item = try background.existingObject(with: id)
            let amount = item.value(forKey: "amount") as? Int ?? 0
            item.setValue(amount + 1, forKey: "amount")
            try background.save()
        }
    }.start()
    DispatchQueue.main.async {
        screen.performAndWait {
            meeting.wait()
            _ = background.performAndWait { background.hasChanges }
        }
    }
    while whole(in: folder) == nil { await Task.yield() }
}
