import CoreData
import Foundation

@objc(Author)
public class Author: NSManagedObject {
    /// Titles in the order in which the books were added to the author.
    var titles: [String] {
        (books?.array as? [Book] ?? []).map { $0.title ?? "" }
    }
}
