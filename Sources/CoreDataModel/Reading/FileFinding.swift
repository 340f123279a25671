/// A mistake in the bytes of a file, with its position.
///
/// Readers of formats throw it; the caller, which knows the path, turns it into an error with a
/// path.
package struct FileFinding: Error, Equatable {
    /// The offset in bytes from the start of the file.
    package let offset: Int
    /// The problem, in words that follow "is damaged:".
    package let text: String

    package init(_ offset: Int, _ text: String) {
        self.offset = offset
        self.text = text
    }
}
