import Foundation

/// Between a keyed archive and its object: `transformedValue(_:)` reads the archive, and
/// `reverseTransformedValue(_:)` writes one.
///
/// Objects are read only if they are of the allowed classes, which a subclass may change. A
/// transformable attribute without a transformer's name uses it.
///
/// Source: semantics.md §10.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes of objects that an archive may have at its top, and inside of these.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self,
            NSDate.self, NSData.self, NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    open override class func transformedValueClass() -> AnyClass {
        allowedTopLevelClasses.first ?? NSObject.self
    }

    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = AttributeCoding.flattened(value) as? Data else { return nil }
        do {
            return try NSKeyedUnarchiver.unarchivedObject(
                ofClasses: Self.readableClasses, from: data)
        } catch {
            TransformedValues.note(error)
            return nil
        }
    }

    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let object = AttributeCoding.flattened(value) else { return nil }
        return KeyedArchives.data(of: object, isSecure: true)
    }

    /// Parts of allowed objects may be of the usual classes, as property lists have them.
    private class var readableClasses: [AnyClass] {
        var classes = allowedTopLevelClasses
        let usual = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses
        classes += usual.filter { known in !classes.contains { $0 === known } }
        return classes
    }
}
