import CoreData

/// The accessors are handwritten.
class Note: NSManagedObject {
    var text: String? {
        get { value(forKey: "text") as? String }
        set { setValue(newValue, forKey: "text") }
    }

    var stars: Int {
        get { value(forKey: "stars") as? Int ?? 0 }
        set { setValue(newValue, forKey: "stars") }
    }

    var folder: Folder? {
        get { value(forKey: "folder") as? Folder }
        set { setValue(newValue, forKey: "folder") }
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(), forKey: "created")
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        if text?.isEmpty != false { throw NoteError.empty }
    }
}

enum NoteError: Error { case empty }

class Folder: NSManagedObject {
    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }

    var notes: Set<Note> { value(forKey: "notes") as? Set<Note> ?? [] }
}
