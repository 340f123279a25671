// swift-format-ignore-file
import CoreData

@objc(Returned)
class Returned: NSManagedObject {
    @NSManaged var text: String?
    @objc var lines = """
        a
        \(#keyPath(Returned.text))
        """
    @objc func line() -> Int { (#line) }
}

extension Returned {
    override func willSave() { lines = "saved" }
}
