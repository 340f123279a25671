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
