/// Ends the process with a text, in release builds too: Swift drops the texts of
/// `preconditionFailure` and `precondition` there.
@usableFromInline @inline(never)
package func trap(_ text: String) -> Never { fatalError(text) }

/// Ends the process with a text unless the condition holds.
@inlinable @inline(__always)
package func trap(unless condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { trap(text()) }
}
