import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

extension NSPersistentStoreRequest {
    /// The request as one for results of another type; a copy if the types differ.
    ///
    /// Replaces `request as! NSFetchRequest<T>`, which no cast can do if request types are Swift's
    /// own. Traps if the value is not a fetch request.
    public final func withResults<T>(of type: T.Type) -> NSFetchRequest<T> {
        if let same = self as? NSFetchRequest<T> { return same }
        guard let request = self as? any OptionsRequest else {
            trap("\(self) is not a fetch request.")
        }
        let made = NSFetchRequest<T>()
        made.options = request.options
        return made
    }
}

extension NSFetchRequest {
    /// A fetch request as one for results of this type; nil for anything else.
    ///
    /// Replaces `value as? NSFetchRequest<T>`. Returns the value itself if its type is this one,
    /// else a copy: later changes of one do not affect the other.
    public static func cast(_ value: Any?) -> NSFetchRequest<ResultType>? {
        guard let value = value as? any OptionsRequest else { return nil }
        if let same = value as? NSFetchRequest<ResultType> { return same }
        let made = NSFetchRequest<ResultType>()
        made.options = value.options
        return made
    }
}

/// A fetch request with results of any type.
private protocol OptionsRequest {
    var options: FetchRequestOptions { get }
}

extension NSFetchRequest: OptionsRequest {}
