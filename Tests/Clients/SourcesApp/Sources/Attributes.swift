import CoreData
import Foundation

@available(iOS 13, macOS 10.15, *)
@objc(Marked)
@objcMembers
@dynamicMemberLookup
open class Marked: NSManagedObject {
    @NSManaged open var open: String?
    @NSManaged public internal(set) var readable: String?
    @NSManaged fileprivate var inFile: String?
    @NSManaged private var inClass: String?
    @NSManaged @available(iOS 13, *) @objc dynamic public var mixed: String?
    @objc
    @available(*, deprecated, message: "@NSManaged")
    @NSManaged
    public
        dynamic var spread: String?
    @available(iOS 13, *) @NSManaged var `default`: String?
    @NSManaged final public private(set) var last: String?
    @NSManaged @objc(renamedKey) var renamed: String?
    @NSManaged var `init`: String?
    @NSManaged internal(set) open dynamic var several: String?, joined: String?

    var notes = "" { didSet { changes += 1 } }
    private(set) var changes = 0
    lazy var later: String = { "later " + (self.open ?? "") }()
    weak var friend: Marked?
    unowned(unsafe) var other: Marked?
    static let shared = "shared"
    class var kind: String { "marked" }
    static var stored = 1
    @objc class func make() -> String { "made" }
    @objc static func build() -> String { "built" }
    @discardableResult @objc public func touch() -> Int {
        changes += 1
        return changes
    }
    @objc @inline(never) final func hidden() -> String { inClass ?? "" }
    @nonobjc func plain() -> String { "plain" }
    @objc public subscript(dynamicMember name: String) -> String { "member \(name)" }
    public func hide(_ text: String) {
        inClass = text
        inFile = text
        last = text
    }
    @IBOutlet weak var outlet: NSObject!
    @IBInspectable var inspected: Int = 4
    @IBAction func act(_ sender: Any?) { changes = -1 }
    @NSManaged @MainActor @preconcurrency var onMain: String?
}

@objc @available(iOS 13, *) extension Marked {
    func fromExtension() -> String { "extension" }
    @objc(other) var computed: String {
        get { notes }
        set { notes = newValue }
    }
}

@objc enum Level: Int16, CaseIterable {
    case low, high
    @objc(levelName) var name: String { self == .low ? "low" : "high" }
}

@objc public enum Reason: Int, Error { case none = 1, other }

class Copier: NSObject {
    @NSCopying var text: NSMutableString = NSMutableString(string: "first")
    @NSCopying var optional: NSMutableString?
    @objc @NSCopying private(set) var list: NSArray = []
    func set(_ new: NSArray) { list = new }
}

func checkAttributes() {
    let names = [
        "open", "readable", "inFile", "inClass", "mixed", "spread", "default", "last", "renamedKey",
        "init", "several", "joined", "onMain",
    ]
    let context = stack([entity("Marked", names.map { attribute($0, .stringAttributeType) })])
    let object = Marked(context: context)
    for name in names { object.setValue(name, forKey: name) }
    expect("open", object.open, "open")
    object.readable = "set"
    expect("public internal(set)", object.value(forKey: "readable") as? String, "set")
    expect("fileprivate", object.inFile, "inFile")
    expect("private", object.hidden(), "inClass")
    expect("four attributes on one line", object.mixed, "mixed")
    expect("a backticked name", object.default, "default")
    expect("final and private(set)", object.last, "last")
    expect("a property of another name for Objective-C", object.renamed, "renamedKey")
    expect("a property called init", object.`init`, "init")
    object.joined = "new"
    expect("two variables with modifiers", [object.several, object.joined], ["several", "new"])
    object.hide("h")
    expect("setters inside of the class", [object.inFile, object.last], ["h", "h"])
    object.notes = "n"
    object.notes = "m"
    expect("an observer beside @NSManaged", object.changes, 2)
    expect("a lazy variable", object.later, "later open")
    object.friend = object
    expect("a weak variable", object.friend === object, true)
    expect("static and class members", [Marked.shared, Marked.kind], ["shared", "marked"])
    expect("class and static functions", [Marked.make(), Marked.build()], ["made", "built"])
    object.touch()
    expect("a discardable result", object.changes, 3)
    expect("@nonobjc", object.plain(), "plain")
    expect("a subscript for members", object.anything, "member anything")
    object.outlet = context
    expect("an outlet", object.outlet === context, true)
    expect("an inspected value", object.inspected, 4)
    object.act(nil)
    expect("an action", object.changes, -1)
    object.computed = "c"
    expect("@objc extension", object.fromExtension() + object.notes, "extensionc")
    expect("an @objc enumeration", Level.allCases.map(\.name), ["low", "high"])
    expect("an @objc error", Reason(rawValue: 2), .other)
    checkCopying()
}

private func checkCopying() {
    let copier = Copier()
    let text = NSMutableString(string: "a")
    copier.text = text
    copier.optional = text
    text.append("b")
    expect("@NSCopying", copier.text as String, "a")
    expect("@NSCopying of an optional", copier.optional as String?, "a")
    copier.optional = nil
    expect("@NSCopying set to nil", copier.optional == nil, true)
    let list = NSMutableArray(array: [1])
    copier.set(list)
    list.add(2)
    expect("@NSCopying with private(set)", copier.list.count, 1)
}
