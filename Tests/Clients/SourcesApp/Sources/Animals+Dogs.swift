import CoreData

private let bark = "bark"

extension Dog {
    override func call(loudly: Bool, times: Int) -> String {
        loudly ? bark.uppercased() : bark + " " + super.call(loudly: loudly, times: times)
    }
    override open func describe() -> String { "dog, " + super.describe() }
    override var title: String { super.title + " dog" }
    override var nickname: String {
        get { "dog " + super.nickname }
        set { super.nickname = newValue + "!" }
    }
    override class func family() -> String { "dogs of " + super.family() }
    override class var order: Int { super.order + 1 }
    override subscript(index: Int) -> String { "dog " + super[index] }
    override func risky() throws -> String { "no risk" }
    override func slow() async -> String { await super.slow() + " dog" }
    override func feed(_ food: inout String, with count: Int) -> Int {
        food += " eaten"
        return count + 1
    }
    @discardableResult override func walk() -> Int { super.walk() + 1 }
    override func call(_ number: Int) -> String { "dog's " + super.call(number) }
    override var weight: Int {
        willSet { events.append("to \(newValue)") }
        didSet(before) {
            events.append("from \(before)")
        }
    }
    override public func awakeFromInsert() {
        super.awakeFromInsert()
        legs = 4
    }
    override func prepareForDeletion() { events.append("gone") }
    @objc override convenience init(noise: String, entity: NSEntityDescription) {
        self.init(entity: entity, insertInto: nil)
        events.append("dog's noise " + noise)
    }
}

extension Puppy {
    override var title: String { "small " + super.title }
    override func describe() -> String { "puppy, " + super.describe() }
    override class func family() -> String { "puppies of " + super.family() }
    override func awakeFromInsert() {
        super.awakeFromInsert()
        legs += 1
    }
}

func checkOverrides() {
    let animal = entity(
        "Animal",
        [attribute("name", .stringAttributeType), attribute("legs", .integer16AttributeType)])
    let dog = entity("Dog", [], parent: animal)
    let puppy = entity("Puppy", [], className: "SourcesApp.Puppy", parent: dog)
    let context = stack([animal, dog, puppy])
    let base = Animal(context: context)
    let rex: Animal = Dog(context: context)
    let pup: Animal = Puppy(context: context)
    expect("a method with a default", base.call(loudly: true, times: 2), "CALLCALL")
    expect("its override calls super", rex.call(loudly: false, times: 1), "bark call")
    expect("its override in a body below", pup.call(loudly: true, times: 1), "yip")
    expect("an overload", [base, rex].map { $0.call(1) }, ["number", "dog's number"])
    rex.name = "Rex"
    expect("an open one", rex.describe(), "dog, animal Rex")
    expect("three levels of extensions", pup.describe(), "puppy, dog, animal ")
    expect("a getter on three levels", pup.title, "small animal dog")
    rex.nickname = "R"
    expect("a getter and a setter", rex.nickname, "dog R!")
    expect("a class method on three levels", type(of: pup).family(), "puppies of dogs of animals")
    expect("a class property", type(of: rex).order, 2)
    expect("a subscript", [base[1], rex[2]], ["animal 1", "dog animal 2"])
    expect("one that throws", try? rex.risky(), "no risk")
    expect("and does in the base", try? base.risky(), nil)
    var food = "bone"
    expect("an inout parameter", rex.feed(&food, with: 1), 2)
    expect("what it changed", food, "bone eaten")
    rex.walk()
    expect("a discardable override", rex.walk(), 2)
    rex.weight = 5
    expect("observers of an override", rex.events, ["to 5", "weight 1", "from 1"])
    expect("awakeFromInsert on two levels", pup.legs, 5)
    context.delete(rex)
    expect("a life-cycle method", rex.events.last, "gone")
    expect("a private one beside them", pup.reveal(), "animal's")
    let noisy = Dog(noise: "woof", entity: dog)
    expect("an initialiser in an extension", noisy.events, ["dog's noise woof"])
}

@MainActor func checkAsynchronousOverrides() async {
    let animal = entity("Animal", [])
    let dog = entity("Dog", [attribute("legs", .integer16AttributeType)], parent: animal)
    let context = stack([animal, dog])
    let rex: Animal = Dog(context: context)
    expect("an asynchronous override", await rex.slow(), "slow dog")
}
