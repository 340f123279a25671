extension String {
    /// A name in which the separators of a token's steps are replaced.
    var tokenWord: String {
        let separators = " .:*".utf8
        return String(
            decoding: utf8.map { separators.contains($0) ? UInt8(ascii: "-") : $0 },
            as: UTF8.self)
    }
}
