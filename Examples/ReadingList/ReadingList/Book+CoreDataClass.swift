import CoreData
import Foundation

@objc(Book)
public class Book: NSManagedObject {

}

extension Book {
    public override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(), forKey: #keyPath(Book.added))
    }

    /// The letter of the list section that contains the book.
    @objc var initial: String {
        String((title ?? "").prefix(1)).uppercased()
    }
}
