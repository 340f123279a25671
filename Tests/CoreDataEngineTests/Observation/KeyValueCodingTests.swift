import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import Testing

/// Key-value coding of managed objects, and of collections of them.
@Suite struct KeyValueCodingTests {
    private func withVolumes(_ body: (NSManagedObjectContext, [Volume]) throws -> Void) throws {
        let context = try Press.stack().context()
        try context.on {
            let (ann, bob) = (context.writer("Ann", "Lee"), context.writer("Bob"))
            let volumes = [
                context.volume("A", 100, by: ann), context.volume("B", 300, by: bob),
                context.volume(nil, 200, by: ann),
            ]
            try body(context, volumes)
        }
    }

    @Test func `an array returns a key of all elements, with NSNull for nil`() throws {
        try withVolumes { _, volumes in
            let titles = try #require((volumes as NSArray).value(forKey: "title") as? [Any])
            #expect(titles.count == 3 && titles[0] as? String == "A" && titles[2] is NSNull)
            #expect((volumes as NSArray).value(forKey: "pages") as? [Int] == [100, 300, 200])
            #expect(
                volumes.value(forKeyPath: "writer.first") as? [String] == ["Ann", "Bob", "Ann"])
            #expect((volumes as NSArray).value(forKey: "@count") as? Int == 3)
        }
    }

    @Test func `sets leave out elements without a value, and ordered sets keep their order`() throws
    {
        try withVolumes { _, volumes in
            let set = NSSet(array: volumes)
            #expect(set.value(forKey: "title") as? Set<String> == ["A", "B"])
            #expect(
                Set(volumes).value(forKeyPath: "writer.first") as? Set<String> == ["Ann", "Bob"])
            let ordered = NSOrderedSet(array: volumes)
            let found = ordered.value(forKey: "pages") as? NSOrderedSet
            #expect(found?.array as? [Int] == [100, 300, 200])
            #expect(ordered.value(forKeyPath: "@sum.pages") as? Int == 600)
            volumes[0].setValue(NSDecimalNumber(string: "1.5"), forKey: "price")
            #expect((ordered.value(forKey: "price") as? [Any])?.count == 3)
        }
    }

    @Test func `values over an ordered relationship are in an ordered set`() throws {
        let context = try GraphStack(GraphModels.relationships()).context()
        try context.on {
            let notes = ["b", "a", "b"].map { context.make("Track", ["name": $0]) }
            let list = context.make("List", ["name": "l"])
            list.setValue(NSOrderedSet(array: notes), forKey: "tracks")
            let names = try #require(list.value(forKeyPath: "tracks.name") as? NSOrderedSet)
            #expect(names.array as? [String] == ["b", "a"])
            #expect(list.value(forKeyPath: "tracks.@count") as? Int == 3)
            #expect(list.value(forKeyPath: "tracks.self") as? NSOrderedSet != nil)
            let outer = NSArray(array: [list]).value(forKeyPath: "tracks.name") as? [Any]
            #expect((outer?.first as? NSOrderedSet)?.array as? [String] == ["b", "a"])
            let inner = NSOrderedSet(array: [list]).value(forKeyPath: "tracks.name")
            let first = (inner as? NSOrderedSet)?.firstObject as? NSOrderedSet
            #expect(first?.array as? [String] == ["b", "a"])
        }
    }

    @Test func `every collection operator works on objects, dictionaries and plain values`() throws
    {
        try withVolumes { _, volumes in
            let array = volumes as NSArray
            #expect(array.value(forKeyPath: "@count") as? Int == 3)
            #expect(array.value(forKeyPath: "@sum.pages") as? Int == 600)
            #expect(array.value(forKeyPath: "@avg.pages") as? Double == 200)
            #expect(array.value(forKeyPath: "@min.pages") as? Int == 100)
            #expect(array.value(forKeyPath: "@max.pages") as? Int == 300)
            let names = array.value(forKeyPath: "@distinctUnionOfObjects.writer.first")
            #expect(Set(names as? [String] ?? []) == ["Ann", "Bob"])
            #expect((names as? [String])?.count == 2)
            let all = array.value(forKeyPath: "@unionOfObjects.writer.first") as? [String]
            #expect(all == ["Ann", "Bob", "Ann"])
        }
        let rows = [["a": 1, "b": 2], ["a": 3, "b": 2]] as NSArray
        #expect(rows.value(forKeyPath: "@sum.a") as? Int == 4)
        #expect(rows.value(forKeyPath: "@distinctUnionOfObjects.b") as? [Int] == [2])
        #expect(([2, 1, 3] as NSArray).value(forKeyPath: "@max.self") as? Int == 3)
        #expect((["b", "a"] as NSArray).value(forKeyPath: "@min.self") as? String == "a")
        let lists = [[1, 2], [2, 3]] as NSArray
        #expect(lists.value(forKeyPath: "@unionOfArrays.self") as? [Int] == [1, 2, 2, 3])
        #expect(lists.value(forKeyPath: "@distinctUnionOfArrays.self") as? [Int] == [1, 2, 3])
        let sets = NSSet(array: [NSSet(array: [1, 2]), NSSet(array: [2, 3])])
        #expect(sets.value(forKeyPath: "@distinctUnionOfSets.self") as? Set<Int> == [1, 2, 3])
        #expect(sets.value(forKeyPath: "@unionOfSets.self") as? Set<Int> == [1, 2, 3])
        let none = [] as NSArray
        #expect(none.value(forKeyPath: "@max.pages") == nil)
        #expect(none.value(forKeyPath: "@sum.pages") as? Int == 0)
    }

    @Test func `a dictionary returns the value of a path, and the number of its values`() throws {
        try withVolumes { _, volumes in
            let dictionary: NSDictionary = ["first": volumes[0], "all": volumes]
            #expect(dictionary.value(forKeyPath: "first.writer.last") as? String == "Lee")
            #expect(dictionary.value(forKeyPath: "all.@sum.pages") as? Int == 600)
            #expect(dictionary.value(forKeyPath: "@count") as? Int == 2)
            let values: [String: Any] = ["first": volumes[0]]
            #expect(values.value(forKeyPath: "first.title") as? String == "A")
            #expect(values.value(forKeyPath: "second.title") == nil)
        }
    }

    @Test func `a collection sets a key of every element`() throws {
        try withVolumes { _, volumes in
            (volumes as NSArray).setValue("same", forKey: "title")
            #expect(volumes.map(\.title) == ["same", "same", "same"])
            NSSet(array: volumes).setValue(nil, forKey: "title")
            #expect(volumes.allSatisfy { $0.title == nil && $0.hasChanges })
            NSOrderedSet(array: volumes).setValue(7, forKey: "pages")
            #expect(volumes.map(\.pages) == [7, 7, 7])
        }
    }

    @Test func `an object sets and returns several keys at once, NSNull for nil`() throws {
        try withVolumes { _, volumes in
            volumes[0].setValuesForKeys(["title": NSNull(), "pages": 7])
            #expect(volumes[0].title == nil && volumes[0].pages == 7)
            let values = volumes[0].dictionaryWithValues(forKeys: ["title", "pages", "writer"])
            #expect(values["title"] is NSNull && values["pages"] as? Int == 7)
            #expect(values["writer"] as? Writer === volumes[0].writer)
        }
    }

    @Test func `a class handles undefined keys, and nil for numbers`() throws {
        let context = try Press.stack().context()
        try context.on {
            let writer = OpenWriter(context: context)
            #expect(writer.value(forKey: "colour") == nil)
            writer.setValue("red", forKey: "colour")
            #expect(writer.value(forKey: "colour") as? String == "red")
            #expect(writer.value(forKeyPath: "colour.length") as? Int == 3)
            let volume = context.volume("A", by: writer)
            volume.setValue("blue", forKeyPath: "writer.colour")
            #expect(volume.value(forKeyPath: "writer.colour") as? String == "blue")
            writer.setValue(nil, forKey: "mood")
            #expect(writer.mood == 0)
            writer.setValue(nil, forKey: "first")
            #expect(writer.first == nil)
        }
    }

    @Test func `a path sets the members and runs the checks of the object at its end`() throws {
        try withVolumes { context, volumes in
            let members = volumes[0].mutableSetValue(forKeyPath: "writer.volumes")
            members.add(volumes[1])
            #expect(volumes[1].writer === volumes[0].writer && members.count == 3)
            let chapter = context.make("Chapter")
            let list = context.make("Chapter", ["volume": volumes[0]])
                .mutableOrderedSetValue(forKeyPath: "volume.chapters")
            list.add(chapter)
            #expect(volumes[0].chapters?.count == 2)
            let first = try #require(
                volumes[0].entity.relationshipsByName["writer"]?.destinationEntity?
                    .attributesByName["first"])
            #expect(first.isOptional)
            var value: Any? = "x"
            try volumes[0].validateValue(&value, forKeyPath: "writer.first")
            #expect(throws: (any Error).self) {
                try volumes[0].validateValue(&value, forKeyPath: "writer.none")
            }
        }
    }
}
