import CoreData

@objc(Car) public class Car: NSManagedObject {
    @NSManaged public var plate: String?
    @NSManaged public var garage: Garage?
}

@objc(Garage) public class Garage: NSManagedObject {
    @NSManaged public var name: String?
    @NSManaged public var cars: NSSet?
    @NSManaged public func addToCars(_ value: Car)
    @NSManaged public func addToCars(_ values: NSSet)
}

/// The attribute needs an override that is as accessible as the class.
@objc(Thing) package final class Thing: NSManagedObject {
    @NSManaged package var id: Int
    @objc package var double: Int { id * 2 }
}

/// Predicates read the properties of plain classes.
public class Item: NSObject {
    @objc public let name: String
    @objc var count: Int?
    public init(_ name: String) { self.name = name }
}
@objcMembers public final class Crate: Item { public var weight = 2.5 }
