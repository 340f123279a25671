import Foundation

/// The pointer type for errors and values that Objective-C returns by reference, such as the value
/// of a `validate<Key>` method.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// The pointer type for errors of Objective-C methods.
public typealias NSErrorPointer = AutoreleasingUnsafeMutablePointer<NSError?>?

/// Runs the body. Apple's function of this name also releases objects after the body; Linux has no
/// such pools.
///
/// - Throws: the errors of the body.
public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}

/// Replaces `as` for casts of Objective-C collections. On Apple's systems `as` converts them, but
/// not on Linux.
///
/// The plugin `CoreDataSources` generates calls of these functions for casts to types to which
/// every such collection can be converted.
public enum ObjectiveCCollection {
    /// A value that already has the type, or one that converts to it.
    public static func cast<T>(_ value: T, to type: T.Type) -> T { value }

    /// The elements of an array.
    public static func cast(_ value: NSArray, to type: [Any].Type) -> [Any] { Array(value) }

    /// The elements of an optional array.
    public static func cast(_ value: NSArray?, to type: [Any]?.Type) -> [Any]? {
        value.map { Array($0) }
    }

    /// The members of a set.
    public static func cast(_ value: NSSet, to type: Set<AnyHashable>.Type) -> Set<AnyHashable> {
        // Safe: the members of such a set are hashable.
        value as! Set<AnyHashable>
    }

    /// The members of an optional set.
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

    /// The entries of an optional dictionary.
    public static func cast(
        _ value: NSDictionary?, to type: [AnyHashable: Any]?.Type
    ) -> [AnyHashable: Any]? {
        // Safe: the keys of such a dictionary are hashable.
        value as! [AnyHashable: Any]?
    }
}
