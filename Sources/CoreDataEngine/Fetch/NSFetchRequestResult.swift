import Foundation

/// A type that a fetch request can return: objects, object ids, dictionaries and counts.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
