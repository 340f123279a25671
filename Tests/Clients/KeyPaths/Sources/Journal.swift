import CoreData
import Shop

/// A handwritten subclass of a generated class in another module.
final class Journal: Item {
    var issue: Int32 {
        get { value(forKey: "issue") as? Int32 ?? 0 }
        set { setValue(newValue, forKey: "issue") }
    }
    var editor: String? {
        get {
            willAccessValue(forKey: "editor")
            defer { didAccessValue(forKey: "editor") }
            return primitiveValue(forKey: "editor") as? String
        }
        set { setValue(newValue, forKey: "editor") }
    }
    var fee: Double {
        get { value(forKey: "fee") as? Double ?? 0 }
        set { setValue(newValue, forKey: "fee") }
    }
    var due: Date? {
        get { value(forKey: "due") as? Date }
        set { setValue(newValue, forKey: "due") }
    }
    var owner: Library? {
        get { value(forKey: "owner") as? Library }
        set { setValue(newValue, forKey: "owner") }
    }
}

/// A handwritten direct subclass of `NSManagedObject`.
final class Library: NSManagedObject {
    var town: String? {
        get { value(forKey: "town") as? String }
        set { setValue(newValue, forKey: "town") }
    }
    var floors: Int16 {
        get { value(forKey: "floors") as? Int16 ?? 0 }
        set { setValue(newValue, forKey: "floors") }
    }
}
