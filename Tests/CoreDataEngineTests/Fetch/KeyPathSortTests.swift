import CoreDataModel
import CoreDataPredicate
import Synchronization
import Testing

@testable import CoreDataEngine

/// A handwritten class without a list of the names of its key paths.
final class SortedPlant: NSManagedObject {
    var name: String? { value(forKey: "name") as? String }
    var height: Int { value(forKey: "height") as? Int ?? 0 }
    var bed: SortedBed? { value(forKey: "bed") as? SortedBed }
    /// A property that is not an attribute of the model.
    var shout: String { (name ?? "").uppercased() }
}

final class SortedBed: NSManagedObject {
    var title: String? { value(forKey: "title") as? String }
}

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

/// Probing finds the keys of Swift's key paths in a program without symbols.
@Suite struct KeyPathProbeTests {
    private func probed(
        _ steps: Int, _ keyPath: AnyKeyPath, of type: NSManagedObject.Type
    ) -> String? {
        guard case .keys(let keys) = type.probe(keyPath, steps: steps) else { return nil }
        return keys.joined(separator: ".")
    }

    /// Runs the body after the classes were bound to a model that no other test uses.
    private func withModel(_ body: () throws -> Void) throws {
        let garden = GraphModels.entity(
            "Garden",
            [
                GraphModels.text("label"), GraphModels.text("kindName"),
                GraphModels.number("level"), GraphModels.number("first"),
                GraphModels.number("second"),
            ], ProbedGarden.self)
        let owner = GraphModels.entity("Owner", [GraphModels.text("name")], ProbedOwner.self)
        GraphModels.relate(
            .init(owner: garden, name: "owner"),
            .init(owner: owner, name: "gardens", toMany: true))
        GraphModels.relate(
            .init(owner: garden, name: "beside"),
            .init(owner: garden, name: "others", toMany: true))
        let context = try GraphStack(GraphModels.model([garden, owner])).context()
        try context.on { try body() }
    }

    @Test func `probing a key path returns its keys`() throws {
        try withModel {
            let paths: [(Int, AnyKeyPath, String)] = [
                (1, \ProbedGarden.label, "label"), (1, \ProbedGarden.isDeep, "level"),
                (1, \ProbedGarden.kind, "kindName"), (1, \ProbedGarden.rank, "level"),
                (2, \ProbedGarden.owner!.name, "owner.name"),
                (2, \ProbedGarden.maybe?.name, "owner.name"),
                (3, \ProbedGarden.beside.beside.label, "beside.beside.label"),
                (1, \ProbedGarden.lower, "label"), (1, \ProbedGarden.owner, "owner"),
            ]
            for (steps, path, name) in paths {
                #expect(probed(steps, path, of: ProbedGarden.self) == name)
            }
        }
    }

    @Test func `a key path that reads something else has no keys`() throws {
        try withModel {
            let paths: [(Int, AnyKeyPath)] = [
                (1, \ProbedGarden.total), (1, \ProbedGarden.constant),
                (1, \ProbedGarden.ownerName), (1, \ProbedGarden.mixed),
                (2, \ProbedGarden.objectID.hashValue),
            ]
            for (steps, path) in paths {
                #expect(probed(steps, path, of: ProbedGarden.self) == nil)
            }
        }
    }

    @Test func `probing a class that no model uses can be repeated later`() {
        final class Unused: NSManagedObject { var name: String? { read(0) } }
        guard case .notYet = Unused.probe(\Unused.name, steps: 1) else {
            Issue.record("a class without a model was tried")
            return
        }
    }

    @Test func `probing leaves no object behind`() throws {
        let shed = GraphModels.entity("Shed", [GraphModels.text("label")], CountedShed.self)
        GraphModels.relate(
            .init(owner: shed, name: "beside"), .init(owner: shed, name: "others", toMany: true))
        let context = try GraphStack(GraphModels.model([shed])).context()
        try context.on {
            let found = probed(3, \CountedShed.beside.beside.label, of: CountedShed.self)
            #expect(found == "beside.beside.label")
            #expect(CountedShed.made.load(ordering: .relaxed) > 3)
            #expect(CountedShed.living.load(ordering: .relaxed) == 0)
        }
    }
}

enum ProbedKind: String { case flat, steep }
enum ProbedRank: Int64 { case low = 3, high = 9 }

/// A class whose accessors are implemented in various forms.
final class ProbedGarden: NSManagedObject {
    private static let levelKey = ManagedKey("level")

    var label: String { value(forKey: "label") as! String }
    var isDeep: Bool { (value(forKey: "level") as? Int ?? 0) > 0 }
    var kind: ProbedKind { ProbedKind(rawValue: value(forKey: "kindName") as! String) ?? .flat }
    var rank: ProbedRank { managedValue(Self.levelKey) }
    var owner: ProbedOwner? { managedValue(ManagedKey("owner")) }
    var maybe: ProbedOwner? {
        willAccessValue(forKey: "owner")
        defer { didAccessValue(forKey: "owner") }
        if primitiveValue(forKey: "owner") == nil { return nil }
        return primitiveValue(forKey: "owner") as? ProbedOwner
    }
    var beside: ProbedGarden { managedValue(ManagedKey("beside")) }
    var lower: String { label.lowercased() }
    var total: Int {
        (value(forKey: "first") as? Int ?? 0) + (value(forKey: "second") as? Int ?? 0)
    }
    var constant: Int { 7 }
    var ownerName: String? { owner?.name }
    var mixed: String { beside.label + label }
}

final class ProbedOwner: NSManagedObject {
    var name: String { managedValue(ManagedKey("name")) }
}

/// Counts its instances. Only one test may use the class, because tests run in parallel.
final class CountedShed: NSManagedObject {
    static let made = Atomic<Int>(0)
    static let living = Atomic<Int>(0)

    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        Self.made.add(1, ordering: .relaxed)
        Self.living.add(1, ordering: .relaxed)
    }

    deinit { Self.living.subtract(1, ordering: .relaxed) }

    var label: String { managedValue(ManagedKey("label")) }
    var beside: CountedShed { managedValue(ManagedKey("beside")) }
}
