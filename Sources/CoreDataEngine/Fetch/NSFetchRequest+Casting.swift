import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

extension NSPersistentStoreRequest {
    /// Returns the request as a fetch request for another result type.
    ///
    /// Replaces `request as! NSFetchRequest<T>`: `NSFetchRequest` is a generic Swift class here, so
    /// the cast fails for another result type. The result is a copy if the types differ. Traps if
    /// the value is not a fetch request.
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
    /// Converts a fetch request to this result type; nil for any other value.
    ///
    /// Replaces `value as? NSFetchRequest<T>`. If the value has this type, it is returned itself.
    /// Otherwise the result is a copy, and later changes of one request do not affect the other.
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
