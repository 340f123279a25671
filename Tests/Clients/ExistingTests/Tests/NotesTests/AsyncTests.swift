import CoreData
import LabTesting
import Testing

@testable import Notes

actor Importer {
    let store: NoteStore
    private(set) var count = 0

    init(_ store: NoteStore) { self.store = store }

    func run(_ titles: [String]) async throws {
        for title in titles {
            try await store.add(title)
            count += 1
        }
    }
}

@Suite(.explored(schedules: 30, seed: 1)) struct AsyncTests {
    let store = NoteStore()

    @Test func twoImporters() async throws {
        let (one, other) = (Importer(store), Importer(store))
        async let first: Void = one.run(["a", "b"])
        async let second: Void = other.run(["c"])
        _ = try await (first, second)
        #expect(store.titles(store.container.newBackgroundContext()) == ["a", "b", "c"])
        #expect(await one.count == 2)
    }

    @Test func confirmed() async throws {
        try await confirmation(expectedCount: 2) { confirm in
            for title in ["a", "b"] {
                try await store.add(title)
                confirm()
            }
        }
    }

    @Test(arguments: ["x", "y"]) func eachTitle(_ title: String) async throws {
        try await store.add(title)
        #expect(store.titles(store.container.newBackgroundContext()) == [title])
    }

    @Test func saves() async throws {
        let context = store.container.newBackgroundContext()
        try await context.perform {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("z", forKey: "title")
            try context.save()
        }
        let count = try await context.perform {
            try context.count(for: NSFetchRequest<Note>(entityName: "Note"))
        }
        #expect(count == 1)
    }
}
