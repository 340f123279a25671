extension String {
    /// The name as a part of a token. The characters that separate a token's steps become hyphens.
    var tokenWord: String {
        let separators = " .:*".utf8
        return String(
            decoding: utf8.map { separators.contains($0) ? UInt8(ascii: "-") : $0 },
            as: UTF8.self)
    }
}
