import CoreData

/// A small random model with an entity of accounts. Sometimes it has a uniqueness constraint, or an
/// entity of notes that belong to accounts.
struct RandomModel {
    let isUnique: Bool
    let hasNotes: Bool
    let cascades: Bool

    init(_ numbers: inout RandomNumbers) {
        isUnique = numbers.below(4) == 0
        hasNotes = numbers.below(2) == 0
        cascades = numbers.below(2) == 0
    }

    init(hasNotes: Bool, isUnique: Bool) {
        self.isUnique = isUnique
        self.hasNotes = hasNotes
        cascades = false
    }

    func make() -> NSManagedObjectModel {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let made = NSAttributeDescription()
            made.name = name
            made.attributeType = type
            return made
        }
        let account = NSEntityDescription()
        account.name = "Account"
        account.managedObjectClassName = "NSManagedObject"
        account.properties = [
            attribute("balance", .integer64AttributeType), attribute("name", .stringAttributeType),
        ]
        let model = NSManagedObjectModel()
        guard hasNotes else {
            if isUnique { account.uniquenessConstraints = [["name"]] }
            model.entities = [account]
            return model
        }
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = "NSManagedObject"
        let (owner, notes) = (NSRelationshipDescription(), NSRelationshipDescription())
        owner.name = "owner"
        owner.destinationEntity = account
        owner.maxCount = 1
        owner.inverseRelationship = notes
        notes.name = "notes"
        notes.destinationEntity = note
        notes.maxCount = 0
        notes.deleteRule = cascades ? .cascadeDeleteRule : .nullifyDeleteRule
        notes.inverseRelationship = owner
        account.properties += [notes]
        note.properties = [attribute("text", .stringAttributeType), owner]
        if isUnique { account.uniquenessConstraints = [["name"]] }
        model.entities = [account, note]
        return model
    }
}

/// A random number generator. A seed yields the same numbers on every machine.
struct RandomNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }
}
