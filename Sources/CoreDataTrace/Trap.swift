/// Ends the process with a message, also in release builds, where `preconditionFailure` and
/// `precondition` omit theirs.
@usableFromInline @inline(never)
package func trap(_ text: String) -> Never { fatalError(text) }

/// Ends the process with a message unless the condition holds.
@inlinable @inline(__always)
package func trap(unless condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { trap(text()) }
}
