import CoreData

@objc(Person) class Person: NSManagedObject {
    @NSManaged var first: String?
    @NSManaged var last: String?
    @NSManaged var age: Int16

    @objc var fullName: String { "\(first ?? "") \(last ?? "")" }
    @objc(initials) var shortName: String {
        get { String(fullName.split(separator: " ").compactMap(\.first)) }
        set { first = String(newValue.prefix(1)) }
    }
    @objc var isAdult: Bool { age >= 18 }
    @objc dynamic var visits = 0
    @objc private var hidden: String { "hidden " + fullName }
    @objc private(set) var closed = "closed"
    @objc var level: Level = .low
    @objc var nick: String? {
        get { primitiveValue(forKey: "nick") as? String ?? "none" }
        set { setPrimitiveValue(newValue?.lowercased(), forKey: "nick") }
    }
    var plain: String { "not for Objective-C" }
    #if !NEVER
        @objc var conditional: Int { 4 }
    #else
        @objc var missing: Missing { Missing() }
    #endif
    @objc weak var friend: Person?

    @objc func validateFirst(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard let text = value.pointee as? String else { return }
        value.pointee = text.trimmingCharacters(in: .whitespaces) as NSString
        if text.contains("!") { throw CocoaError(.validationStringPatternMatching) }
    }
    @objc func validateNothing(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        throw CocoaError(.featureUnsupported)
    }
    func validateLast(_ value: String) -> Bool { false }
}

extension Person {
    @objc var sectionName: String { String(last?.prefix(1) ?? "?") }
    @objc fileprivate func validateAge(
        _ value: AutoreleasingUnsafeMutablePointer<NSNumber?>
    ) throws {
        guard let age = value.pointee?.intValue else { return }
        if age < 0 { throw CocoaError(.validationNumberTooSmall) }
        if age > 150 { value.pointee = 150 }
    }
}

@objc(Employee) @objcMembers final class Employee: Person {
    var badge: String { "badge of " + fullName }
    override var fullName: String { "Employee " + super.fullName }
    func validateLast(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>?) throws {
        if value?.pointee == nil { throw CocoaError(.validationMissingMandatoryProperty) }
    }
}

func checkKeyed() throws {
    let person = entity(
        "Person",
        [
            attribute("first", .stringAttributeType), attribute("last", .stringAttributeType),
            attribute("age", .integer16AttributeType), attribute("nick", .stringAttributeType),
        ])
    let employee = entity("Employee", [], parent: person)
    let context = stack([person, employee])
    let ann = Person(context: context)
    ann.first = " Ann "
    ann.last = "Lee"
    ann.age = 200
    try context.save()
    expect("a save validates by methods", ann.first, "Ann")
    expect("one whose value is a number", ann.age, 150)
    ann.first = "Ann!"
    expect("a method refuses a value", refusal(of: context), .validationStringPatternMatching)
    ann.first = "Ann"
    ann.age = -1
    expect("a method of an extension refuses", refusal(of: context), .validationNumberTooSmall)
    ann.age = 30
    var value: Any? = " Bob "
    try ann.validateValue(&value, forKey: "first")
    expect("validateValue", value as? String, "Bob")
    checkProperties(of: ann)
    let bob = Employee(context: context)
    expect("a subclass's method", refusal(of: context), .validationMissingMandatoryProperty)
    bob.last = "Moss"
    bob.first = "Bob"
    try context.save()
    expect("a property of an @objcMembers class", text(bob, "badge"), "badge of Employee Bob Moss")
    expect("an override by key", text(bob, "fullName"), "Employee Bob Moss")
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "last", ascending: true)]
    let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context,
        sectionNameKeyPath: #keyPath(Person.sectionName), cacheName: nil)
    try controller.performFetch()
    expect("sections by a computed property", controller.sections?.map(\.name), ["L", "M"])
    let adults = NSPredicate(format: "%K == YES", #keyPath(Person.isAdult))
    let found = NSArray(array: [ann, bob]).filtered(using: adults) as? [Person]
    expect("a predicate in memory", found, [ann])
    let sorted = NSArray(array: [bob, ann]).sortedArray(using: [
        NSSortDescriptor(key: "initials", ascending: true)
    ])
    expect("an order in memory", sorted.first as? Person, ann)
}

private func refusal(of context: NSManagedObjectContext) -> CocoaError.Code? {
    do { try context.save() } catch { return (error as? CocoaError)?.code }
    return nil
}

private func text(_ object: Person, _ key: String) -> String? {
    object.value(forKey: key) as? String
}

private func checkProperties(of ann: Person) {
    expect("a computed property by key", text(ann, "fullName"), "Ann Lee")
    expect("one of another name", text(ann, "initials"), "AL")
    ann.setValue("Zoe", forKey: "initials")
    expect("its setter", ann.first, "Z")
    ann.first = "Ann"
    expect("one with is", ann.value(forKey: "adult") as? Bool, true)
    ann.setValue(3, forKey: "visits")
    expect("a stored one", ann.visits, 3)
    expect("a number by key", ann.value(forKey: "visits") as? NSNumber, 3)
    expect("a private one", text(ann, "hidden"), "hidden Ann Lee")
    expect("one with private(set)", text(ann, "closed"), "closed")
    ann.setValue(1, forKey: "level")
    expect("an enumeration by key", ann.level, .high)
    expect("its raw value", ann.value(forKey: "level") as? Int, 1)
    expect("one under #if", ann.value(forKey: "conditional") as? Int, 4)
    expect("an accessor of its own by key", text(ann, "nick"), "none")
    ann.setValue("ANNIE", forKey: "nick")
    expect("its own setter by key", ann.nick, "annie")
    ann.setValue(ann, forKey: "friend")
    expect("a weak one", ann.value(forKeyPath: "friend.friend.fullName") as? String, "Ann Lee")
}
