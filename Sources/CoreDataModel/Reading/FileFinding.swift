/// What is wrong with the bytes of a file, and where.
///
/// Readers of formats throw it; who has the path makes an error with that of it.
package struct FileFinding: Error, Equatable {
    /// How far it is from the first byte.
    package let offset: Int
    /// What is wrong, as it follows "is damaged:".
    package let text: String

    package init(_ offset: Int, _ text: String) {
        self.offset = offset
        self.text = text
    }
}
