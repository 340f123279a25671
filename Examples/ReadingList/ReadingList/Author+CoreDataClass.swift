import CoreData
import Foundation

@objc(Author)
public class Author: NSManagedObject {
    /// The titles of the author's books, in the order in which the books were added.
    var titles: [String] {
        (books?.array as? [Book] ?? []).map { $0.title ?? "" }
    }
}
