/// Ends the process with a message, also in release builds, in which `preconditionFailure` and
/// `precondition` omit their messages.
@usableFromInline @inline(never)
package func trap(_ text: String) -> Never { fatalError(text) }

/// Ends the process with a message unless the condition holds.
@inlinable @inline(__always)
package func trap(unless condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { trap(text()) }
}
