import CoreData

// The body of the base class. Extensions in other files contain its members.
@objc(Animal) open class Animal: NSManagedObject {
    @NSManaged public var name: String?
    @NSManaged var legs: Int16
    var events: [String] = []
    @objc var weight = 1 { didSet { events.append("weight \(oldValue)") } }
    @objc init(noise: String, entity: NSEntityDescription) {
        super.init(entity: entity, insertInto: nil)
        events.append("noise " + noise)
    }
    public override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }
}

@objc(Dog) class Dog: Animal {}

final class Puppy: Dog { override func call(loudly: Bool, times: Int = 1) -> String { "yip" } }
