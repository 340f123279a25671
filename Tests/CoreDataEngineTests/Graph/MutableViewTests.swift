import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

@testable import CoreDataEngine

/// Live views of to-many relationships behave like Foundation's sets.
@Suite struct MutableViewTests {
    private final class Notes {
        let all: [NSManagedObject]
        init(_ all: [NSManagedObject]) { self.all = all }
        subscript(index: Int) -> NSManagedObject { all[index] }
        func text(_ objects: [Any]) -> String {
            objects.map { ($0 as? NSManagedObject)?.text("name") ?? "?" }.joined()
        }
    }

    private typealias Change = (name: String, run: (NSMutableOrderedSet, Notes) -> Void)
    private typealias Question = (name: String, ask: (NSMutableOrderedSet, Notes) -> String)

    private static func later(_ left: Any, _ right: Any) -> ComparisonResult {
        let names = [left, right].map { ($0 as? NSManagedObject)?.text("name") ?? "" }
        return names[0] > names[1]
            ? .orderedAscending : names[0] < names[1] ? .orderedDescending : .orderedSame
    }

    private var changes: [Change] {
        [
            ("insert", { $0.insert($1[5], at: 1) }), ("subscript", { $0[1] = $1[4] }),
            ("exchange", { set, _ in set.exchangeObject(at: 0, withObjectAt: 2) }),
            ("move", { set, _ in set.moveObjects(at: IndexSet([0, 1]), to: 1) }),
            ("insert several", { $0.insert([$1[4], $1[5]], at: IndexSet([0, 2])) }),
            ("set", { $0.setObject($1[5], at: 0) }),
            ("set at the end", { $0.setObject($1[5], at: $0.count) }),
            ("replace", { $0.replaceObjects(at: IndexSet([0, 1]), with: [$1[4], $1[5]]) }),
            ("remove a range", { set, _ in set.removeObjects(in: NSRange(0..<2)) }),
            ("remove at places", { set, _ in set.removeObjects(at: IndexSet([0, 2])) }),
            ("remove all", { set, _ in set.removeAllObjects() }),
            ("remove one", { $0.remove($1[1]) }),
            ("remove some", { $0.removeObjects(in: [$1[1], $1[5]]) }),
            (
                "intersect",
                { set, notes in
                    let other = [notes[1], notes[5]]
                    // Foundation's own method recurses without end.
                    if type(of: set) == NSMutableOrderedSet.self {
                        set.intersectSet(Set(other))
                    } else {
                        set.intersect(NSOrderedSet(array: other))
                    }
                }
            ),
            ("minus", { $0.minus(NSOrderedSet(array: [$1[1], $1[5]])) }),
            ("union", { $0.union(NSOrderedSet(array: [$1[1], $1[5]])) }),
            ("intersect a set", { $0.intersectSet([$1[1], $1[5]]) }),
            ("minus a set", { $0.minusSet([$1[1], $1[5]]) }),
            ("union with a set", { $0.unionSet([$1[5]]) }),
            ("add", { $0.add($1[5]) }), ("add again", { $0.add($1[0]) }),
            ("add several", { $0.addObjects(from: [$1[4], $1[0]]) }),
            ("sort", { set, _ in set.sort(comparator: Self.later) }),
            (
                "sort stably",
                { set, _ in set.sort(options: [.stable], usingComparator: Self.later) }
            ),
            (
                "sort a part",
                { set, _ in
                    set.sortRange(NSRange(1..<3), options: [], usingComparator: Self.later)
                }
            ),
            (
                "sort by descriptors",
                { set, _ in set.sort(using: [NSSortDescriptor(key: "name", ascending: false)]) }
            ),
            ("filter", { set, _ in set.filter(using: NSPredicate(format: "name != 'b'")) }),
        ]
    }

    private var questions: [Question] {
        [
            ("first", { $1.text([$0.firstObject ?? ""]) }),
            ("last", { $1.text([$0.lastObject ?? ""]) }),
            ("array", { $1.text($0.array) }), ("set", { set, _ in "\(set.set.count)" }),
            ("reversed", { $1.text($0.reversed.array) }),
            ("objects", { $1.text($0.objects(at: IndexSet([0, 2]))) }),
            ("contains", { "\($0.contains($1[0])) \($0.contains($1[5]))" }),
            ("index", { "\($0.index(of: $1[2])) \($0.index(of: $1[5]) == NSNotFound)" }),
            ("equal", { "\($0.isEqual(to: NSOrderedSet(array: [$1[0], $1[1], $1[2]])))" }),
            ("unequal", { "\($0.isEqual(NSOrderedSet(array: [$1[0]])))" }),
            ("intersects", { "\($0.intersects(NSOrderedSet(array: [$1[0]])))" }),
            ("intersects a set", { "\($0.intersectsSet([$1[5]]))" }),
            ("subset", { "\($0.isSubset(of: NSOrderedSet(array: $1.all)))" }),
            ("subset of a set", { "\($0.isSubset(of: Set($1.all)))" }),
            ("iteration", { set, notes in notes.text(set.map { $0 }) }),
            ("enumerator", { $1.text($0.objectEnumerator().allObjects) }),
            ("backwards", { $1.text($0.reverseObjectEnumerator().allObjects) }),
            ("sorted", { $1.text($0.sortedArray(comparator: Self.later)) }),
            (
                "sorted by descriptors",
                {
                    $1.text(
                        $0.sortedArray(using: [NSSortDescriptor(key: "name", ascending: false)]))
                }
            ),
            (
                "filtered",
                { set, _ in "\(set.filtered(using: NSPredicate(format: "name == 'b'")).count)" }
            ),
            ("copy", { $1.text(($0.copy() as? NSOrderedSet)?.array ?? []) }),
            ("mutable copy", { $1.text(($0.mutableCopy() as? NSMutableOrderedSet)?.array ?? []) }),
            ("made of it", { $1.text(NSOrderedSet(orderedSet: $0).array) }),
            ("key", { set, _ in "\((set.value(forKey: "name") as? NSOrderedSet)?.count ?? -1)" }),
            ("operator", { set, _ in "\(set.value(forKeyPath: "@max.name") ?? "none")" }),
            (
                "enumeration",
                { set, notes in
                    var seen: [Any] = []
                    set.enumerateObjects { object, index, _ in
                        if index < 2 { seen.append(object) }
                    }
                    return notes.text(seen)
                }
            ),
            ("description", { set, _ in "\(set.description.isEmpty)" }),
        ]
    }

    private func notes(_ context: NSManagedObjectContext) -> Notes {
        Notes("abcdef".map { context.make("Track", ["name": String($0)]) })
    }

    /// A list with the first three notes, its live view, and a set of Foundation with the same
    /// notes.
    private func sets(
        _ notes: Notes, _ context: NSManagedObjectContext
    ) -> (list: NSManagedObject, view: NSMutableOrderedSet, plain: NSMutableOrderedSet) {
        let list = context.make("List", ["name": "l"])
        let start = Array(notes.all.prefix(3))
        list.setValue(NSOrderedSet(array: start), forKey: "tracks")
        return (
            list, list.mutableOrderedSetValue(forKey: "tracks"), NSMutableOrderedSet(array: start)
        )
    }

    @Test func `an ordered view changes as Foundation's set does`() throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        try context.on {
            let notes = notes(context)
            for (name, change) in changes {
                let (list, view, plain) = sets(notes, context)
                change(view, notes)
                change(plain, notes)
                let kept = (list.value(forKey: "tracks") as? NSOrderedSet)?.array ?? []
                #expect(notes.text(kept) == notes.text(plain.array), "\(name)")
                #expect(notes.text(view.array) == notes.text(plain.array), "\(name), view")
                #expect(view.count == plain.count, "\(name), count")
            }
            try context.save()
        }
    }

    @Test func `an ordered view has the same results as Foundation's set`() throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        try context.on {
            let notes = notes(context)
            for (name, ask) in questions {
                let (_, view, plain) = sets(notes, context)
                #expect(ask(view, notes) == ask(plain, notes), "\(name)")
            }
        }
    }

    @Test func `a view of a set has the same results as Foundation's set`() throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        try context.on {
            let owner = context.make("Owner", ["name": "o"])
            let pets = "cd".map { context.make("Cat", ["name": String($0)]) }
            owner.setValue(NSSet(array: pets), forKey: "pets")
            let view = owner.mutableSetValue(forKey: "pets")
            let plain = NSMutableSet(array: pets)
            #expect(view.isEqual(plain) && plain.isEqual(view.copy()))
            #expect(!view.isEqual(NSSet(array: [pets[0]])))
            #expect(!view.description.isEmpty && !view.description(withLocale: nil).isEmpty)
            #expect(view.isSubset(of: Set(pets)) && view.intersects([pets[0]]))
            #expect(view.contains(pets[1]) && view.allObjects.count == 2)
            #expect((view.mutableCopy() as? NSMutableSet)?.count == 2)
            #expect(Set(view.map { ($0 as? NSManagedObject)?.text("name") }) == ["c", "d"])
            view.filter(using: NSPredicate(format: "name == 'c'"))
            #expect(owner.names("pets") == ["c"])
        }
    }

    @Test func `D-066: a view follows its object, and is not a Swift set`() throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        try context.on {
            let notes = notes(context)
            let (list, view, _) = sets(notes, context)
            list.setValue(NSOrderedSet(array: [notes[4]]), forKey: "tracks")
            #expect(view.count == 1 && view.contains(notes[4]))
            #expect(view.object(at: 0) as? NSManagedObject === notes[4])
            let owner = context.make("Owner", ["name": "o"])
            owner.setValue(NSSet(array: [context.make("Cat", ["name": "c"])]), forKey: "pets")
            let pets = owner.mutableSetValue(forKey: "pets")
            #expect(pets.count == 1 && (pets as? Set<NSManagedObject>)?.isEmpty == true)
            #expect((owner.value(forKey: "pets") as? Set<NSManagedObject>)?.count == 1)
        }
    }
}
