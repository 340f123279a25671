import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

extension NSPersistentStoreRequest {
    /// The request as one for results of another type; its copy, where the type is another.
    ///
    /// Stands for `request as! NSFetchRequest<T>`, which no cast can do where request types are
    /// Swift's own. Traps on what is no fetch request.
    public final func withResults<T>(of type: T.Type) -> NSFetchRequest<T> {
        if let same = self as? NSFetchRequest<T> { return same }
        guard let request = self as? any OptionsRequest else {
            trap("\(self) is no fetch request.")
        }
        let made = NSFetchRequest<T>()
        made.options = request.options
        return made
    }
}

extension NSFetchRequest {
    /// A fetch request as one for results of this type; nil for anything else.
    ///
    /// Stands for `value as? NSFetchRequest<T>`. It gives the value itself where its type is this
    /// one, else a copy: later changes of one do not show in the other.
    public static func cast(_ value: Any?) -> NSFetchRequest<ResultType>? {
        guard let value = value as? any OptionsRequest else { return nil }
        if let same = value as? NSFetchRequest<ResultType> { return same }
        let made = NSFetchRequest<ResultType>()
        made.options = value.options
        return made
    }
}

/// A fetch request, whatever its results are.
private protocol OptionsRequest {
    var options: FetchRequestOptions { get }
}

extension NSFetchRequest: OptionsRequest {}
