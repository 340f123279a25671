import CoreData
import Foundation

import class Foundation.NSArray

@objc(ShelfName) class NamedForObjectiveC: NSManagedObject {
    class var entityName: String { return NSStringFromClass(self) }
    static func generic<T: NSManagedObject>(_ type: T.Type) -> String { NSStringFromClass(T.self) }
}

class NamedBelow: NamedForObjectiveC {}

func checkCollections() throws {
    let set = NSSet(array: [1, 2])
    let list = NSMutableArray(array: ["a"])
    let table = NSDictionary(dictionary: ["a": 1])
    let none: NSArray? = nil
    expect("a set of any members", (set as Set).count, 2)
    expect("a set of hashable members", (set as Set<AnyHashable>).count, 2)
    expect("an array of any elements", (list as [Any]).count, 1)
    expect("an array without a type", (list as Array).first as? String, "a")
    expect("no array", (none as [Any]?)?.count, nil)
    expect("a dictionary of any values", (table as [AnyHashable: Any])["a"] as? Int, 1)
    expect("a dictionary without a type", (table as Dictionary).count, 1)
    let numbers = [1, 2]
    expect("an array of Swift's", (numbers as [Any]).count, 2)
    let values = ["a": 1]
    expect("a dictionary of Swift's", (values as [AnyHashable: Any]).count, 1)
    expect("behind a closure", (numbers.map { $0 + 1 } as [Any]).last as? Int, 3)
    expect("a literal", (["a", 1] as [Any]).count, 2)

    expect("a class's name for Objective-C", NamedForObjectiveC.entityName, "ShelfName")
    expect("one below it", NamedBelow.entityName, "SourcesApp.NamedBelow")
    let generic = NamedForObjectiveC.generic(NamedForObjectiveC.self)
    expect("one by a generic type", generic, "ShelfName")
    expect("one of another class", NSStringFromClass(NSObject.self), "NSObject")
    expect("one by description", NamedForObjectiveC.description(), "ShelfName")

    let context = stack([entity("Note", [attribute("text", .stringAttributeType)])])
    NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    try context.save()
    let notes = NSFetchRequest<NSManagedObject>(entityName: "Note")
    expect("a call without its result", try context.count(for: notes), 1)
}
