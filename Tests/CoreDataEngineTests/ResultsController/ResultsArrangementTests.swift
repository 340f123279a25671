import CoreDataModel
import CoreDataPredicate
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Compares the changes that the controller computes with those of a simple algorithm, which tests
/// every object and searches the whole list for its position.
struct ResultsArrangementTests {
    /// Objects that change randomly. The controller tracks the sorted results of a fetch.
    private struct World {
        let fixture: ResultsFixture
        let scope: ResultsScope
        var random: SeededGenerator
        var objects: [NSManagedObject] = []

        init(seed: UInt64) throws {
            fixture = try ResultsFixture()
            random = SeededGenerator(seed: seed)
            let hasSections = seed % 2 == 0
            let keys = hasSections ? ["kind", "rank"] : [seed % 3 == 0 ? "note" : "rank", "kind"]
            let layout = fixture.context.registry.binding.layout
            let task = try #require(layout.entities.first { $0.name == "Task" })
            scope = ResultsScope(
                entity: task, includesSubentities: true,
                predicate: seed % 5 == 0 ? nil : NSPredicate(format: "done == NO"),
                sortDescriptors: keys.map {
                    NSSortDescriptor(key: $0, ascending: hasSections || seed % 4 != 1)
                }, sectionKeys: hasSections ? ["kind"] : nil)
        }

        mutating func add() {
            let object = fixture.add("\("abcd".randomElement(using: &random) ?? "a")1")
            objects.append(object)
            give(object)
        }

        /// Changes a property of an object. Notes are long and begin with the same words.
        mutating func give(_ object: NSManagedObject) {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: object.setValue(Int.random(in: 0..<9, using: &random), forKey: "rank")
            case 1:
                let kind = "abcd".randomElement(using: &random).map(String.init)
                object.setValue(kind, forKey: "kind")
            case 2: object.setValue(Int.random(in: 0..<4, using: &random) == 0, forKey: "done")
            case 3:
                let end = Int.random(in: 0..<4, using: &random)
                object.setValue(end == 0 ? nil : "a long note \(end)", forKey: "note")
            default: object.setValue(Int.random(in: 0..<9, using: &random), forKey: "rank")
            }
        }
    }

    private struct Reference {
        var list: [NSManagedObject]
        var deleted: [NSManagedObject] = []
        var inserted: [NSManagedObject] = []
        var moved: [NSManagedObject] = []
        var updated: [NSManagedObject] = []

        private static func areOrdered(
            _ first: NSManagedObject, _ second: NSManagedObject, _ scope: ResultsScope
        ) throws -> Bool {
            try compare(first, second, scope) != .orderedDescending
        }

        private static func compare(
            _ first: NSManagedObject, _ second: NSManagedObject, _ scope: ResultsScope
        ) throws -> ComparisonResult {
            for descriptor in scope.sortDescriptors {
                let result = try descriptor.compareCore(first, second)
                if result != .orderedSame { return result }
            }
            return .orderedSame
        }

        private static func comesFirst(
            _ first: NSManagedObject, _ second: NSManagedObject, _ scope: ResultsScope
        ) throws -> Bool {
            let result = try compare(first, second, scope)
            if result != .orderedSame { return result == .orderedAscending }
            let (left, right) = (first.objectKey, second.objectKey)
            if left.isTemporary != right.isTemporary { return right.isTemporary }
            return abs(left.key) < abs(right.key)
        }

        init(
            _ old: ResultsList, touched: [NSManagedObject], gone: [NSManagedObject],
            _ scope: ResultsScope
        ) throws {
            let names = Dictionary(
                uniqueKeysWithValues: zip(
                    old.objects.map { ObjectIdentifier($0) }, old.sectionNames))
            let left = try touched.filter { try gone.contains($0) || !scope.holds($0) } + gone
            deleted = old.objects.filter { left.contains($0) }
            var kept = old.objects.filter { !left.contains($0) }
            let stays = try touched.filter { try !gone.contains($0) && scope.holds($0) }
            let changed = kept.filter { stays.contains($0) }
            var loose = stays.filter { !old.objects.contains($0) }
            var open = changed
            var displaced: [NSManagedObject] = []
            for isCalm in [true, false] {
                for object in changed where scope.keepsOrder(object) == isCalm {
                    let place = try #require(kept.firstIndex(of: object))
                    let before = kept[..<place].last { !open.contains($0) }
                    let after = kept[(place + 1)...].first { !open.contains($0) }
                    let fits =
                        try before.map { try Self.areOrdered($0, object, scope) } ?? true
                        && after.map { try Self.areOrdered(object, $0, scope) } ?? true
                    let name = scope.sectionKeys == nil ? "" : try scope.section(of: object)
                    if !fits || names[ObjectIdentifier(object)] != name { displaced.append(object) }
                    open.removeAll { $0 === object }
                    if fits { continue }
                    kept.remove(at: place)
                    loose.append(object)
                }
            }
            list = Array(kept)
            for object in try loose.sorted(by: { try Self.comesFirst($0, $1, scope) }) {
                let place = try list.firstIndex { try !Self.areOrdered($0, object, scope) }
                list.insert(object, at: place ?? list.count)
            }
            inserted = list.filter { !old.objects.contains($0) }
            moved = list.filter { displaced.contains($0) }
            updated = list.filter {
                changed.contains($0) && !displaced.contains($0) && !$0.state.contains(.inserted)
            }
        }
    }

    private func expectEqual(_ change: ResultsChange, _ reference: Reference, _ seed: UInt64) {
        #expect(Array(change.new.objects) == reference.list, "seed \(seed)")
        let told = [change.deleted, change.inserted, change.moved, change.updated]
        let wanted = [
            reference.deleted, reference.inserted, reference.moved, reference.updated,
        ]
        for (moves, objects) in zip(told, wanted) {
            #expect(moves.map(\.object) == objects, "seed \(seed)")
            for move in moves {
                #expect(move.old == change.old.objects.firstIndex(of: move.object))
                #expect(move.new == change.new.objects.firstIndex(of: move.object))
            }
        }
    }

    /// A list of the objects in the order of a fetch.
    private func list(_ world: World) throws -> ResultsList {
        let empty = try ResultsList([], sections: world.scope.sectionKeys.map { _ in [] })
        let event = try ResultsEvent(
            touched: [Set(world.objects)], gone: [], empty, world.scope)
        return try ResultsChange(event, to: empty, in: world.scope).new
    }

    @Test(arguments: 1...40)
    func `the result of an event equals that of testing each object separately`(seed: Int) throws {
        var world = try World(seed: UInt64(seed))
        try world.fixture.context.performAndWait {
            for _ in 0..<Int.random(in: 0...60, using: &world.random) { world.add() }
            if seed % 3 == 0 { try world.fixture.context.save() }
            var list = try list(world)
            for _ in 0..<6 {
                var touched: [NSManagedObject] = []
                for _ in 0..<Int.random(in: 0...12, using: &world.random) {
                    guard let object = world.objects.randomElement(using: &world.random) else {
                        break
                    }
                    world.give(object)
                    if !touched.contains(object) { touched.append(object) }
                }
                // There are few changes among many objects, many changes among few objects, or no
                // changes.
                let count = [0, 1, 3, 100].randomElement(using: &world.random) ?? 0
                for _ in 0..<count {
                    world.add()
                    touched.append(world.objects[world.objects.count - 1])
                }
                let gone = world.objects.filter { _ in
                    Int.random(in: 0..<20, using: &world.random) == 0
                }
                let reference = try Reference(list, touched: touched, gone: gone, world.scope)
                let event = try ResultsEvent(
                    touched: [Set(touched), Set(touched.prefix(3))], gone: [Set(gone)], list,
                    world.scope)
                let change = try ResultsChange(event, to: list, in: world.scope)
                expectEqual(change, reference, UInt64(seed))
                world.objects.removeAll { gone.contains($0) }
                list = change.new
            }
        }
    }
}
