import CoreData
import Foundation

typealias Moment = Date

/// A coded value of an app's class.
@objc(PlaceValue)
final class PlaceValue: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let name: String
    init(name: String) { self.name = name }
    required init?(coder: NSCoder) {
        name = (coder.decodeObject(of: NSString.self, forKey: "name") ?? "") as String
    }
    func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
}

@objc(AllValues) class AllValues: NSManagedObject {
    @NSManaged var short: Int16
    @NSManaged var middle: Int32
    @NSManaged var long: Int64
    @NSManaged var word: Int
    @NSManaged var double: Double
    @NSManaged var float: Float
    @NSManaged var flag: Bool
    @NSManaged var text: String
    @NSManaged var optionalText: String?
    @NSManaged var forcedText: String!
    @NSManaged var objectText: NSString?
    @NSManaged var date: Date
    @NSManaged var moment: Moment?
    @NSManaged var objectDate: NSDate?
    @NSManaged var interval: TimeInterval
    @NSManaged var data: Data
    @NSManaged var objectData: NSData?
    @NSManaged var id: UUID
    @NSManaged var objectID2: NSUUID?
    @NSManaged var link: URL?
    @NSManaged var objectLink: NSURL?
    @NSManaged var decimal: NSDecimalNumber
    @NSManaged var valueDecimal: Decimal
    @NSManaged var number: NSNumber?
    @NSManaged var boolNumber: NSNumber
    @NSManaged var list: NSArray?
    @NSManaged var words: [String]?
    @NSManaged var table: [String: Int]?
    @NSManaged var place: PlaceValue?
    @NSManaged var anything: Any?
    @NSManaged var x, y: Double
    @NSManaged var level: Level
    @NSManaged private var primitiveText: String
    @NSManaged fileprivate var primitiveShort: NSNumber?
    @NSManaged func primitiveMoment() -> Date?
    @NSManaged func setPrimitiveMoment(_ value: Date?)

    var shout: String {
        get {
            willAccessValue(forKey: #keyPath(AllValues.text))
            defer { didAccessValue(forKey: #keyPath(AllValues.text)) }
            return primitiveText.uppercased()
        }
        set {
            willChangeValue(forKey: "text")
            primitiveText = newValue.lowercased()
            didChangeValue(forKey: "text")
        }
    }
    func raise() { primitiveShort = NSNumber(value: short + 1) }
}

private func valueEntity() -> NSEntityDescription {
    let kinds: [(NSAttributeType, [String])] = [
        (.integer16AttributeType, ["short", "level"]), (.integer32AttributeType, ["middle"]),
        (.integer64AttributeType, ["long", "word", "number"]),
        (.doubleAttributeType, ["double", "x", "y"]),
        (.floatAttributeType, ["float"]), (.booleanAttributeType, ["flag", "boolNumber"]),
        (.stringAttributeType, ["text", "optionalText", "forcedText", "objectText"]),
        (.dateAttributeType, ["date", "moment", "objectDate", "interval"]),
        (.binaryDataAttributeType, ["data", "objectData"]),
        (.UUIDAttributeType, ["id", "objectID2"]), (.URIAttributeType, ["link", "objectLink"]),
        (.decimalAttributeType, ["decimal", "valueDecimal"]),
        (.transformableAttributeType, ["list", "words", "table", "place", "anything"]),
    ]
    let properties = kinds.flatMap { kind, names in names.map { attribute($0, kind) } }
    return entity("AllValues", properties)
}

func checkValues() {
    let context = stack([valueEntity()])
    let object = AllValues(context: context)
    let date = Date(timeIntervalSinceReferenceDate: 100)
    let id = UUID()
    expect(
        "numbers that are nil", [Int(object.short), Int(object.middle), object.word], [0, 0, 0])
    object.short = -3
    object.middle = 1 << 20
    object.long = 1 << 40
    object.word = 1 << 41
    expect("an Int16", object.value(forKey: "short") as? Int16, -3)
    expect("an Int32", object.value(forKey: "middle") as? Int32, 1 << 20)
    expect("an Int64", object.value(forKey: "long") as? Int64, 1 << 40)
    expect("an Int", object.word, 1 << 41)
    object.double = 0.5
    object.float = 0.25
    expect("a Double and a Float", [object.double, Double(object.float)], [0.5, 0.25])
    object.flag.toggle()
    expect("a Bool", object.value(forKey: "flag") as? Bool, true)
    object.text = "a"
    object.text += "b"
    expect("a string that is not optional", object.text, "ab")
    object.optionalText = "x"
    object.optionalText?.append("y")
    expect("an optional string through its chain", object.optionalText, "xy")
    object.forcedText = "f"
    expect("an implicitly unwrapped string", object.forcedText.count, 1)
    object.objectText = "object"
    expect("an NSString", object.objectText?.length, 6)
    object.date = date
    object.moment = date
    expect("a Date and an alias of it", object.moment, object.date)
    object.objectDate = date as NSDate
    expect("an NSDate", object.objectDate?.timeIntervalSinceReferenceDate, 100)
    object.interval += 5
    expect("a scalar date", object.interval, 5)
    object.data = Data([1, 2])
    object.objectData = NSData(data: Data([3]))
    expect("a Data", object.data.count, 2)
    expect("an NSData", object.objectData?.length, 1)
    object.id = id
    object.objectID2 = id as NSUUID
    expect("a UUID and an NSUUID", object.objectID2?.uuidString, object.id.uuidString)
    object.link = URL(string: "https://a.b/c")
    object.objectLink = NSURL(string: "https://a.b/d")
    expect("a URL", object.link?.lastPathComponent, "c")
    expect("an NSURL", object.objectLink?.lastPathComponent, "d")
    object.decimal = NSDecimalNumber(string: "1.25")
    object.valueDecimal = 2.5
    expect("an NSDecimalNumber", object.decimal.adding(1).stringValue, "2.25")
    expect("a Decimal", object.valueDecimal, Decimal(2.5))
    object.number = 12
    object.boolNumber = true
    expect("an NSNumber", object.number?.intValue, 12)
    expect("an NSNumber of a Bool", object.boolNumber.boolValue, true)
    checkCoded(object)
    checkPrimitives(object)
    object.x = 1
    object.y = object.x + 1
    expect("two variables of one type", object.value(forKey: "y") as? Double, 2)
    object.level = .high
    expect("an enumeration", object.value(forKey: "level") as? Int16, 1)
    try! context.save()
    context.refreshAllObjects()
    expect("values after a save", [object.text, object.words?.last ?? ""], ["quiet", "two"])
}

private func checkCoded(_ object: AllValues) {
    object.list = [1, "two"]
    expect("an NSArray", object.list?.count, 2)
    object.words = ["one"]
    object.words?.append("two")
    expect("an array of strings", object.words, ["one", "two"])
    object.table = ["a": 1]
    object.table?["b"] = 2
    expect("a dictionary", object.table, ["a": 1, "b": 2])
    object.place = PlaceValue(name: "here")
    expect("an object of a class", object.place?.name, "here")
    object.anything = "any"
    expect("an Any", object.anything as? String, "any")
}

private func checkPrimitives(_ object: AllValues) {
    object.shout = "QUIET"
    expect("a private primitive property", [object.text, object.shout], ["quiet", "QUIET"])
    object.raise()
    expect("a primitive number", object.short, -2)
    object.setPrimitiveMoment(nil)
    expect("primitive functions", object.primitiveMoment(), nil)
}
