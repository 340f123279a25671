import CoreData

class Sensor: NSManagedObject {
    @NSManaged var first: String?
    @NSManaged var second: String?
    @NSManaged var reading: Int64
    var heard: [String] = []

    @objc var both: String { "\(first ?? "-")\(second ?? "-")" }
    @objc class func keyPathsForValuesAffectingBoth() -> Set<NSObject> {
        ["first" as NSString, "second" as NSString]
    }
    override class func entity() -> NSEntityDescription { super.entity() }
}

extension Sensor {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        addObserver(self, forKeyPath: #keyPath(both), options: [.new], context: nil)
    }

    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        removeObserver(self, forKeyPath: #keyPath(both))
    }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard keyPath == #keyPath(Sensor.both) else {
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
            return
        }
        heard.append(change?[.newKey] as? String ?? "?")
    }
}

@objc(Dial) final class Dial: Sensor {
    override var first: String? {
        get { super.first.map { $0 + "!" } }
        set { super.first = newValue?.lowercased() }
    }
    override var reading: Int64 {
        didSet { second = "\(oldValue)" }
    }
}

func checkObserved() throws {
    let sensor = entity(
        "Sensor",
        [
            attribute("first", .stringAttributeType), attribute("second", .stringAttributeType),
            attribute("reading", .integer64AttributeType),
        ])
    let dial = entity("Dial", [], parent: sensor)
    let context = stack([sensor, dial])
    let one = Sensor(context: context)
    one.first = "a"
    one.second = "b"
    expect("an observer in an extension", one.heard, ["a-", "ab"])
    let two = Dial(context: context)
    two.setValue("A", forKey: "first")
    expect("an overridden managed property by name", two.value(forKey: "first") as? String, "a!")
    two.setValue(3, forKey: "reading")
    expect("its observer", two.second, "0")
    expect("a class's entity", Dial.entity().name, "Dial")
    expect("a transformer", ReversedTransformer().transformedValue("ab") as? String, "ba")
    let count = ClosureTransformer<NSString> { $0?.length }
    expect("a transformer of a closure", count.transformedValue("ab" as NSString) as? Int, 2)
    expect("one with an initialiser", CountingTransformer().transformedValue(nil) as? Int, 1)
    let isMatch = Finder().matches("ab", "SELF BEGINSWITH %@ AND %d == 1", "a", 1)
    expect("variable arguments", isMatch, true)
    expect("a predicate", Finder().find("B", in: ["ab", "c", "bc"]), ["bc", "ab"])
    try context.save()
}
