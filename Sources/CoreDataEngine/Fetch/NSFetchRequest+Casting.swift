import CoreDataModel
import CoreDataStore
import Foundation

extension NSPersistentStoreRequest {
    /// The request as one for results of another type; its copy, where the type is another.
    ///
    /// Stands for `request as! NSFetchRequest<T>`, which no cast can do where request types are
    /// Swift's own. Traps on what is no fetch request.
    public final func withResults<T>(of type: T.Type) -> NSFetchRequest<T> {
        if let same = self as? NSFetchRequest<T> { return same }
        guard let request = self as? any OptionsRequest else {
            fatalError("\(self) is no fetch request.")
        }
        let made = NSFetchRequest<T>()
        made.options = request.options
        return made
    }
}

/// A fetch request, whatever its results are.
private protocol OptionsRequest {
    var options: FetchRequestOptions { get }
}

extension NSFetchRequest: OptionsRequest {}
