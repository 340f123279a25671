import CoreDataModel
import CoreDataPredicate
import Testing

@testable import CoreDataEngine

/// A class as people write it, without names of its own for key paths.
final class SortedPlant: NSManagedObject {
    var name: String? { value(forKey: "name") as? String }
    var height: Int { value(forKey: "height") as? Int ?? 0 }
    var bed: SortedBed? { value(forKey: "bed") as? SortedBed }
    /// No attribute has this name.
    var shout: String { (name ?? "").uppercased() }
}

final class SortedBed: NSManagedObject {
    var title: String? { value(forKey: "title") as? String }
}

/// Fetches sorted by Swift's key paths.
@Suite struct KeyPathSortTests {
    private func model() -> NSManagedObjectModel {
        let bed = GraphModels.entity("Bed", [GraphModels.text("title")], SortedBed.self)
        let plant = GraphModels.entity(
            "Plant", [GraphModels.text("name"), GraphModels.number("height")], SortedPlant.self)
        GraphModels.relate(
            .init(owner: plant, name: "bed"), .init(owner: bed, name: "plants", toMany: true))
        return GraphModels.model([bed, plant])
    }

    private func filled() throws -> NSManagedObjectContext {
        let stack = try GraphStack(model())
        let context = stack.context()
        try context.on {
            for (name, height, title) in [("b", 2, "y"), ("a", 2, "x"), ("c", 1, "z")] {
                let bed = context.make("Bed", ["title": title])
                context.make("Plant", ["name": name, "height": height, "bed": bed])
            }
            try context.save()
        }
        return context
    }

    private func names(
        _ context: NSManagedObjectContext, _ descriptors: [NSSortDescriptor]
    ) throws -> [String?] {
        let request = NSFetchRequest<SortedPlant>(entityName: "Plant")
        request.sortDescriptors = descriptors
        return try context.fetch(request).map(\.name)
    }

    @Test func `key paths of a hand-written class sort in the store and in memory`() throws {
        let context = try filled()
        try context.on {
            let byHeight = [
                NSSortDescriptor(keyPath: \SortedPlant.height, ascending: true),
                NSSortDescriptor(keyPath: \SortedPlant.name, ascending: true),
            ]
            let first = try names(context, byHeight)
            #expect(first == ["c", "a", "b"])
            let byBed = [NSSortDescriptor(keyPath: \SortedPlant.bed?.title, ascending: false)]
            let second = try names(context, byBed)
            #expect(second == ["c", "b", "a"])
            context.make("Plant", ["name": "0", "height": 1])
            let third = try names(context, byHeight)
            #expect(third == ["0", "c", "a", "b"])
        }
    }

    @Test func `a key path that no entity has is an error of the fetch`() throws {
        let context = try filled()
        try context.on {
            let unknown = NSSortDescriptor(keyPath: \SortedPlant.shout, ascending: true)
            let error = #expect(throws: NSError.self) { try names(context, [unknown]) }
            #expect(error?.localizedDescription.contains("shout") == true)
            let nameless = NSSortDescriptor(
                keyPath: \SortedPlant.objectID.hashValue, ascending: true)
            #expect(throws: NSError.self) { try names(context, [nameless]) }
        }
    }
}
