import CoreData
import FaultlineRecorder
import Foundation
import Testing

/// A recorded scenario mentions every operation of a context or a coordinator, as a step or in a
/// comment.
@Suite struct EverythingIsToldTests {
    /// The part of the scenario file that must mention a member.
    enum Place: Sendable {
        /// A step that contains this text.
        case step(String)
        /// A comment that contains this text.
        case comment(String)
        /// The names of objects in other steps. The member only finds objects by id, so it is not a
        /// step.
        case names
    }

    /// An operation, the member that it calls, and the part of the scenario file that must mention
    /// it.
    struct Deed: Sendable, CustomTestStringConvertible {
        let member: String
        let place: Place
        let run: @Sendable (Desk) throws -> Void

        var testDescription: String { member }

        init(
            _ member: String, _ place: Place, _ run: @escaping @Sendable (Desk) throws -> Void
        ) {
            self.member = member
            self.place = place
            self.run = run
        }
    }

    /// A context that works with one row.
    struct Desk {
        let context: NSManagedObjectContext
        let other: NSManagedObjectContext
        let container: NSPersistentContainer
        let item: NSManagedObject
        var coordinator: NSPersistentStoreCoordinator { container.persistentStoreCoordinator }
        var request: NSFetchRequest<NSManagedObject> {
            let made = NSFetchRequest<NSManagedObject>(entityName: "Item")
            made.sortDescriptors = [NSSortDescriptor(key: "amount", ascending: true)]
            return made
        }
    }

    @Test(arguments: Deeds.all)
    func `every operation is a step of the file or counted in it`(_ deed: Deed) throws {
        let container = try Stacks.make(tracksHistory: true)
        let id = try Stacks.insert("Item", ["amount": 1], in: container)
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        let context = Stacks.context("desk", of: container)
        let other = Stacks.context("other", of: container)
        try other.performAndWait {
            _ = try other.existingObject(with: id).value(forKey: "amount")
        }
        try context.performAndWait {
            let item = try context.existingObject(with: id)
            try deed.run(
                Desk(context: context, other: other, container: container, item: item))
            guard !container.persistentStoreCoordinator.persistentStores.isEmpty else { return }
            try context.existingObject(with: id).setValue(7, forKey: "amount")
            // A batch request of the operation may have changed the row, so the save may fail.
            try? context.save()
        }
        let text = recorder.text().scenario
        let lines = text.split(separator: "\n").map(String.init)
        switch deed.place {
        case .step(let words):
            #expect(lines.contains { !$0.hasPrefix("#") && $0.contains(words) }, "\(text)")
        case .comment(let words):
            #expect(lines.contains { $0.hasPrefix("#") && $0.contains(words) }, "\(text)")
            #expect(recorder.text().transcript.contains(words))
        case .names: break
        }
        _ = try Explored.result(of: text)
    }

    @Test func `every public member of contexts and coordinators has an entry`() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources")
        let known = Set(Deeds.all.map(\.member)).union(Deeds.others.keys)
        var found: Set<String> = []
        for path in [
            "CoreDataEngine/Context/NSManagedObjectContext.swift",
            "CoreDataStore/Coordinator/NSPersistentStoreCoordinator.swift",
            "CoreDataEngine/Requests/NSPersistentStoreCoordinator+Executing.swift",
        ] {
            let text = try String(
                contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            let members = text.matches(
                of: /\n    (?:open|public)(?: final| class)* (?:func|var) (\w+)/)
            found.formUnion(members.map { String($0.output.1) })
        }
        #expect(found.count > 60)
        #expect(found.subtracting(known).isEmpty)
    }
}
