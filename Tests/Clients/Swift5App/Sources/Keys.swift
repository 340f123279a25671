import CoreData

// Keys, expressions, values and IDs in app code. Both clients compile this file.

/// A handwritten class with an initialiser, validation, and properties that the model lacks.
class Person: NSManagedObject {
    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }

    var age: Int16 {
        get { value(forKey: "age") as? Int16 ?? 0 }
        set { setValue(newValue, forKey: "age") }
    }

    var phones: NSOrderedSet? {
        get { value(forKey: "phones") as? NSOrderedSet }
        set { setValue(newValue, forKey: "phones") }
    }

    var boss: Person? {
        get { value(forKey: "boss") as? Person }
        set { setValue(newValue, forKey: "boss") }
    }

    var initial: String { String((name ?? "?").prefix(1)) }

    override class var keyedMembers: [KeyedMember] {
        [.property("initial", of: Person.self, get: { $0.initial })]
    }

    override class var propertyValidators: [String: PropertyValidator] {
        [
            "name": { _, value in
                if value as? String == "" { throw CocoaError(.validationStringTooShort) }
            }
        ]
    }

    override func value(forUndefinedKey key: String) -> Any? {
        key == "nickname" ? name : super.value(forUndefinedKey: key)
    }

    override func setNilValueForKey(_ key: String) {
        if key == "age" { age = 0 } else { super.setNilValueForKey(key) }
    }
}

class Phone: NSManagedObject {
    var number: String? {
        get { value(forKey: "number") as? String }
        set { setValue(newValue, forKey: "number") }
    }
}

/// Stores strings as their bytes.
final class TextTransformer: ValueTransformer {
    static let name = NSValueTransformerName("TextTransformer")

    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.data(using: .utf8) }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).flatMap { String(data: $0, encoding: .utf8) }
    }
}

enum Keys {
    private static func attribute(
        _ name: String, _ type: NSAttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private static func relationship(
        _ name: String, _ destination: NSEntityDescription, toMany: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = toMany ? 0 : 1
        relationship.isOrdered = toMany
        return relationship
    }

    static func makeModel() -> NSManagedObjectModel {
        let (person, phone) = (NSEntityDescription(), NSEntityDescription())
        person.name = "Person"
        person.managedObjectClassName = NSStringFromClass(Person.self)
        phone.name = "Phone"
        phone.managedObjectClassName = NSStringFromClass(Phone.self)
        let name = attribute("name", .stringAttributeType)
        name.isIndexedBySpotlight = true
        name.preservesValueInHistoryOnDeletion = true
        let photo = attribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = true
        let note = attribute("note", .transformableAttributeType)
        note.valueTransformerName = TextTransformer.name.rawValue
        let phones = relationship("phones", phone, toMany: true)
        let owner = relationship("owner", person, toMany: false)
        phones.inverseRelationship = owner
        owner.inverseRelationship = phones
        let boss = relationship("boss", person, toMany: false)
        let staff = relationship("staff", person, toMany: true)
        boss.inverseRelationship = staff
        staff.inverseRelationship = boss
        let age = attribute("age", .integer16AttributeType)
        person.properties = [name, age, photo, note, phones, boss, staff]
        phone.properties = [attribute("number", .stringAttributeType), owner]
        let model = NSManagedObjectModel()
        model.entities = [person, phone]
        return model
    }

    /// The stack of Xcode's template with CloudKit.
    static func run(in folder: URL) throws {
        ValueTransformer.setValueTransformer(TextTransformer(), forName: TextTransformer.name)
        let container = NSPersistentCloudKitContainer(
            name: "People", managedObjectModel: makeModel())
        let description = container.persistentStoreDescriptions.first!
        description.url = folder.appendingPathComponent("People.sqlite")
        description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
            containerIdentifier: "iCloud.org.example.people")
        var failure: Error?
        container.loadPersistentStores(completionHandler: { (storeDescription, error) in
            failure = error
        })
        if let failure { throw failure }
        container.viewContext.automaticallyMergesChangesFromParent = true
        let context = container.newBackgroundContext()
        var thrown: Error?
        context.performAndWait {
            do { try checkAll(in: context) } catch { thrown = error }
        }
        if let thrown { throw thrown }
    }

    private static func checkAll(in context: NSManagedObjectContext) throws {
        let people = [("Ann", 30), ("Bob", 20), ("Abe", 40)].map { name, age in
            let person = Person(context: context)
            person.setValuesForKeys(["name": name, "age": age, "note": "note of \(name)"])
            return person
        }
        let ann = people[0]
        people[1].boss = ann
        ann.phones = NSOrderedSet(
            array: ["2", "1", "2"].map { number in
                let phone = Phone(context: context)
                phone.number = number
                return phone
            })
        try context.save()
        try checkKeys(people)
        try checkFetches(people, in: context)
        try checkRest(people, in: context)
    }

    private static func checkKeys(_ people: [Person]) throws {
        let ann = people[0]
        let numbers = ann.value(forKeyPath: "phones.number") as? NSOrderedSet
        check(numbers?.array as? [String] == ["2", "1"], "values over an ordered relationship")
        check(ann.value(forKeyPath: "phones.@count") as? Int == 3, "a count by key path")
        check((people as NSArray).value(forKeyPath: "@avg.age") as? Double == 30, "an average")
        check(
            Set(people).value(forKeyPath: "name") as? Set<String> == ["Ann", "Bob", "Abe"],
            "keys of a set")
        let row: NSDictionary = ["who": ann]
        check(row.value(forKeyPath: "who.name") as? String == "Ann", "a path in a dictionary")
        check(ann.value(forKey: "initial") as? String == "A", "a computed property by key")
        check(ann.value(forKey: "nickname") as? String == "Ann", "an undefined key")
        let values = ann.dictionaryWithValues(forKeys: ["name", "boss"])
        check(values["name"] as? String == "Ann" && values["boss"] is NSNull, "several keys")
        let starts = NSPredicate(format: "initial == %@", "A")
        check((people as NSArray).filtered(using: starts).count == 2, "a predicate in memory")
        ann.setNilValueForKey("age")
        check(ann.age == 0, "no value of a number")
        ann.age = 30
        ann.name = ""
        do {
            try ann.managedObjectContext?.save()
            check(false, "an empty name was saved")
        } catch CocoaError.validationStringTooShort {
            ann.name = "Ann"
        }
        check(ann.value(forKey: "note") as? String == "note of Ann", "a transformed value")
    }

    private static func checkFetches(
        _ people: [Person], in context: NSManagedObjectContext
    ) throws {
        let request = NSFetchRequest<Person>(entityName: "Person")
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Person.age, ascending: false),
            NSSortDescriptor(SortDescriptor(\Person.name)),
        ]
        check(try context.fetch(request).map(\.age) == [40, 30, 20], "an order by key paths")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Person.boss?.name, ascending: false)]
        check(try context.fetch(request).first == people[1], "an order by a path")
        let least: Int16 = 25
        request.predicate = NSPredicate(#Predicate<Person> { $0.age > least })
        check(try context.count(for: request) == 2, "a predicate of Swift's")
        request.predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: \Person.name),
            rightExpression: NSExpression(forConstantValue: "Bob"), modifier: .direct,
            type: .equalTo, options: [])
        check(try context.fetch(request) == [people[1]], "an expression by a key path")

        let rows = NSFetchRequest<NSDictionary>(entityName: "Person")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["name", "boss.name"]
        rows.predicate = NSPredicate(format: "boss != nil")
        let row = try context.fetch(rows).first
        check(row?["name"] as? String == "Bob", "a key to fetch")
        check(row?["boss.name"] as? String == "Ann", "a key path to fetch")

        let sections = NSFetchRequest<Person>(entityName: "Person")
        sections.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: sections, managedObjectContext: context, sectionNameKeyPath: "initial",
            cacheName: nil)
        try controller.performFetch()
        check(controller.sections?.map(\.name) == ["A", "B"], "sections by a computed property")
        check(controller.object(at: IndexPath(row: 0, section: 1)) == people[1], "a row")

        let all = NSFetchRequestExpression.expression(
            forFetch: NSExpression(
                forConstantValue: NSFetchRequest<NSFetchRequestResult>(entityName: "Phone")),
            context: NSExpression(forConstantValue: context), countOnly: true)
        let found = all.expressionValue(with: nil, context: nil)
        check(found as? Int == 3, "an expression that fetches")
        let plain: NSFetchRequest<NSFetchRequestResult> = Person.fetchRequest()
        let typed = NSFetchRequest<Person>.cast(plain)
        check(try typed.map { try context.count(for: $0) } == 3, "a request of other results")
    }

    private static func checkRest(_ people: [Person], in context: NSManagedObjectContext) throws {
        let ann = people[0]
        let uri = ann.objectID.uriRepresentation()
        let again = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
        check(again == ann.objectID, "an id equals the one of its address")
        check(again?.hash == ann.objectID.hash, "equal ids have one hash")
        check(Set([ann.objectID, again!]).count == 1, "equal ids are one member")
        let staff = ann.mutableOrderedSetValue(forKey: "staff")
        check(staff.array as? [Person] == [people[1]], "the members of a live view")
        check("\(ann)".contains("Ann"), "a description shows values: \(ann)")
        let name = ann.entity.attributesByName["name"]
        check(name?.isIndexedBySpotlight == true, "a flag of Spotlight's is kept")
        check(NSConstraintConflict().constraint.isEmpty, "a conflict of nothing")
        check(
            NSPersistentCloudKitContainer.eventNotificationUserInfoKey.hasSuffix("UserInfoKey"),
            "a name of CloudKit's")
    }
}
