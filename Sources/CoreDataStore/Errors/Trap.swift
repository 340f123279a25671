import CoreDataTrace

/// Runs a throwing function for a public method whose signature cannot throw.
///
/// If the function throws, Core Data raises an exception; here the process ends with the same text.
@inlinable @inline(__always)
package func orTrap<T: ~Copyable>(_ body: () throws(CoreDataError) -> T) -> T {
    do {
        return try body()
    } catch {
        trap(error)
    }
}

@usableFromInline @inline(never)
package func trap(_ error: CoreDataError) -> Never {
    let file = error.info["NSFilePath"] ?? ""
    trap(
        file.isEmpty || error.message.contains(file) ? error.message : "\(error.message) (\(file))")
}
