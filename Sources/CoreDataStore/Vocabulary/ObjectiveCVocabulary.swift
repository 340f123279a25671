import Foundation

/// What Objective-C hands errors and values back by, such as the value of a `validate<Key>` method.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// What methods of Objective-C put an error into.
public typealias NSErrorPointer = AutoreleasingUnsafeMutablePointer<NSError?>?

/// Runs the body, as loops of imports do to let go of objects; there is no pool to empty here.
///
/// - Throws: what the body throws.
public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}

/// What `as` makes of a collection of Objective-C: a conversion there, and none here.
///
/// The plugin `CoreDataSources` writes it for casts to the types that all such collections have.
public enum ObjectiveCCollection {
    /// A value that has the type already, or one that converts to it.
    public static func cast<T>(_ value: T, to type: T.Type) -> T { value }

    /// The elements of an array.
    public static func cast(_ value: NSArray, to type: [Any].Type) -> [Any] { Array(value) }

    /// The elements of an array, if there is one.
    public static func cast(_ value: NSArray?, to type: [Any]?.Type) -> [Any]? {
        value.map { Array($0) }
    }

    /// The members of a set.
    public static func cast(_ value: NSSet, to type: Set<AnyHashable>.Type) -> Set<AnyHashable> {
        // Safe: the members of such a set are hashable.
        value as! Set<AnyHashable>
    }

    /// The members of a set, if there is one.
    public static func cast(
        _ value: NSSet?, to type: Set<AnyHashable>?.Type
    ) -> Set<AnyHashable>? {
        // Safe: the members of such a set are hashable.
        value as! Set<AnyHashable>?
    }

    /// The entries of a dictionary.
    public static func cast(
        _ value: NSDictionary, to type: [AnyHashable: Any].Type
    ) -> [AnyHashable: Any] {
        // Safe: the keys of such a dictionary are hashable.
        value as! [AnyHashable: Any]
    }

    /// The entries of a dictionary, if there is one.
    public static func cast(
        _ value: NSDictionary?, to type: [AnyHashable: Any]?.Type
    ) -> [AnyHashable: Any]? {
        // Safe: the keys of such a dictionary are hashable.
        value as! [AnyHashable: Any]?
    }
}
