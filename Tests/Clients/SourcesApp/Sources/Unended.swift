// swift-format-ignore-file
import CoreData

@objc(Unended) class Unended: NSManagedObject {
    @NSManaged var text: String?
}  // no line ends here: @objc