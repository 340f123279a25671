import CoreData

@objc(Note) public class Note: NSManagedObject {
    @NSManaged public var text: String?
    public private(set) var origin = "none"
    public convenience init(context: NSManagedObjectContext, text: String) {
        self.init(context: context)
        self.text = text
    }
    public convenience init(context: NSManagedObjectContext) {
        let entity = NSEntityDescription.entity(forEntityName: "Note", in: context)!
        self.init(entity: entity, insertInto: context)
        origin = "convenience"
    }
}

@objc(Memo) class Memo: Note {
    let stamp: Int
    @objc public override init(
        entity: NSEntityDescription, insertInto context: NSManagedObjectContext?
    ) {
        stamp = 7
        super.init(entity: entity, insertInto: context)
    }
}

@objc(Letter) final class Letter: Memo {
    var address = "nowhere"
    init(to address: String, in context: NSManagedObjectContext) {
        super.init(entity: Letter.entity(), insertInto: context)
        self.address = address
    }
    required convenience init?(words: [String], in context: NSManagedObjectContext) {
        guard let first = words.first else { return nil }
        self.init(to: first, in: context)
    }
}

@objc(Card) class Card: NSManagedObject {
    private override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?)
    {
        super.init(entity: entity, insertInto: context)
    }
    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue("card", forKey: #keyPath(Note.text))
    }
}

class Coded: NSObject, NSCoding {
    @objc var value: Int
    @objc override init() { value = 1 }
    @objc(initWithValue:) init(value: Int) { self.value = value }
    @objc required init?(coder: NSCoder) { value = coder.decodeInteger(forKey: #keyPath(value)) }
    @objc func encode(with coder: NSCoder) { coder.encode(value, forKey: #keyPath(Coded.value)) }
}

func checkInitializers() throws {
    let note = entity("Note", [attribute("text", .stringAttributeType)])
    let memo = entity("Memo", [], parent: note)
    let letter = entity("Letter", [], parent: memo)
    let card = entity("Card", [attribute("text", .stringAttributeType)])
    let context = stack([note, memo, letter, card])
    expect("a convenience init(context:)", Note(context: context).origin, "convenience")
    expect("one that calls it", Note(context: context, text: "t").text, "t")
    expect("an override of the designated one", Memo(entity: memo, insertInto: context).stamp, 7)
    expect("one of its own below it", Letter(to: "home", in: context).address, "home")
    expect("a failing one", Letter(words: [], in: context) == nil, true)
    try context.save()
    context.reset()
    let found = try context.fetch(NSFetchRequest<Memo>(entityName: "Memo"))
    expect("objects that a fetch makes", found.map(\.stamp), [7, 7])
    let made = NSEntityDescription.insertNewObject(forEntityName: "Card", into: context)
    expect("a private override", made.value(forKey: "text") as? String, "card")
    let data = try NSKeyedArchiver.archivedData(
        withRootObject: Coded(value: 5), requiringSecureCoding: false)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = false
    let coded = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? Coded
    expect("a required init with #keyPath", coded?.value, 5)
}
