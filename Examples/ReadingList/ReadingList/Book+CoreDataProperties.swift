import CoreData
import Foundation

extension Book {

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Book> {
        return NSFetchRequest<Book>(entityName: "Book")
    }

    @NSManaged public var added: Date?
    @NSManaged public var isbn: String?
    @NSManaged public var isFinished: Bool
    @NSManaged public var pages: Int32
    @NSManaged public var title: String?
    @NSManaged public var author: Author?

}

extension Book: Identifiable {

}
