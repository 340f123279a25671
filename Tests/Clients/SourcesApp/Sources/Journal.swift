import CoreData

/// Another class for the same entity, which declares types that differ from the model's.
@objc(Journal) public class Journal: Book {
    @objc override func turn(_ page: Int) { turned = "\(page) in a journal" }
    override func describeShortly() -> String { "journal, " + super.describeShortly() }
    override var summary: String { "journal" }
    var turned = ""
}

extension Book {
    @objc func describeShortly() -> String { "book" }
    @objc(shortSummary) var summary: String { "book" }
}

#if os(Linux)
    extension Shelf {
        override func didSave() { saves += 100 }
    }
#elseif os(macOS)
    extension Shelf {
        override func didSave() { saves += 1000 }
    }
#endif

class Generic<Value>: NSObject {
    @objc dynamic var count = 0
    var value: Value?
    @objc func reset() { value = nil }
}

@objc protocol Readable: AnyObject { @objc func read() -> String }
class Reader: NSObject, Readable { @objc func read() -> String { "read" } }

struct Outer {
    class Model: NSObject {
        @objc(theTitle) dynamic var title = ""
        @objc lazy var lazyOne = 1
        @objc private(set) dynamic weak var other: Model?
        @objc static let shared = Model()
    }
}
