/// A mistake in the bytes of a file, with its position.
///
/// File readers throw it. Their callers convert it to an error with the path of the file.
package struct FileFinding: Error, Equatable {
    /// The offset in bytes from the start of the file.
    package let offset: Int
    /// The problem, as a phrase that follows "is damaged:".
    package let text: String

    package init(_ offset: Int, _ text: String) {
        self.offset = offset
        self.text = text
    }
}
