extension String {
    /// The name in a form for tokens, without the characters that separate a token's steps.
    var tokenWord: String {
        let separators = " .:*".utf8
        return String(
            decoding: utf8.map { separators.contains($0) ? UInt8(ascii: "-") : $0 },
            as: UTF8.self)
    }
}
