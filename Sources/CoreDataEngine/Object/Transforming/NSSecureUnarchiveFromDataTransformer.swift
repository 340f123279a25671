import Foundation

/// Converts between a keyed archive and its object: `transformedValue(_:)` reads the archive, and
/// `reverseTransformedValue(_:)` writes one.
///
/// Only objects of the ``allowedTopLevelClasses`` are read and written. A subclass can override
/// this property.
///
/// Source: semantics.md §10.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that an archive may contain, as its root object and below it.
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
        return TransformedValues.noting { () throws(ArchiveFailure) in
            try KeyedArchives.object(of: data, allowed: Self.allowed)
        }
    }

    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let object = AttributeCoding.flattened(value) else { return nil }
        return TransformedValues.noting { () throws(ArchiveFailure) in
            try KeyedArchives.data(of: object, allowed: Self.allowed)
        }
    }

    /// Collections may also contain the classes of property lists.
    private class var allowed: AllowedClasses {
        let top = allowedTopLevelClasses
        let usual = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses
        return AllowedClasses(owner: "\(self)", top: top, members: top + usual)
    }
}
