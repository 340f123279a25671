/// What is wrong with the bytes of a store's file, and where.
///
/// Readers of formats throw it; ``WholeFile`` makes an error with the path of it.
struct FileFinding: Error, Equatable {
    /// How far it is from the first byte.
    let offset: Int
    /// What is wrong, as it follows "is damaged:".
    let text: String

    init(_ offset: Int, _ text: String) {
        self.offset = offset
        self.text = text
    }
}
