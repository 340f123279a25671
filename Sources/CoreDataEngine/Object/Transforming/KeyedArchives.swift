import Foundation

/// Between a keyed archive and its object, of any class.
final class KeyedUnarchiveTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        guard let data = AttributeCoding.flattened(value) as? Data else { return nil }
        do {
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
            unarchiver.requiresSecureCoding = false
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            defer { unarchiver.finishDecoding() }
            let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
            if let error = unarchiver.error { TransformedValues.note(error) }
            return object
        } catch {
            TransformedValues.note(error)
            return nil
        }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let object = AttributeCoding.flattened(value) else { return nil }
        return KeyedArchives.data(of: object, isSecure: false)
    }
}

/// Writing keyed archives.
enum KeyedArchives {
    /// Nil where the object cannot be archived.
    static func data(of object: Any, isSecure: Bool) -> Data? {
        guard let archived = archivable(object) else { return nil }
        do {
            return try NSKeyedArchiver.archivedData(
                withRootObject: archived, requiringSecureCoding: isSecure)
        } catch {
            TransformedValues.note(error)
            return nil
        }
    }

    /// The object with Swift's collections as Foundation's; the archiver of Linux ends the process
    /// where an object in them cannot be archived.
    private static func archivable(_ object: Any) -> NSObject? {
        switch object {
        case let text as String: return NSString(string: text)
        case let array as [Any]: return list(array).map { NSArray(array: $0) }
        case let table as [AnyHashable: Any]: return dictionary(table)
        case let set as Set<AnyHashable>:
            return list(set.map { $0.base }).map { NSSet(array: $0) }
        case let array as NSArray: return list(array.map { $0 }).map { NSArray(array: $0) }
        case let set as NSSet: return list(set.map { $0 }).map { NSSet(array: $0) }
        case let date as Date: return date as NSDate
        case let data as Data: return data as NSData
        case let url as URL: return url as NSURL
        case let uuid as UUID: return uuid as NSUUID
        case let number as NSNumber: return number
        case let object as NSObject where object is any NSCoding: return object
        default: return nil
        }
    }

    private static func list(_ objects: [Any]) -> [NSObject]? {
        let made = objects.compactMap { archivable($0) }
        return made.count == objects.count ? made : nil
    }

    private static func dictionary(_ table: [AnyHashable: Any]) -> NSDictionary? {
        var keys: [NSObject] = []
        var objects: [NSObject] = []
        for (key, value) in table {
            guard let key = archivable(key.base), let value = archivable(value) else { return nil }
            keys.append(key)
            objects.append(value)
        }
        return NSDictionary(objects: objects, forKeys: keys)
    }
}
