extension String {
    /// A name without what separates the steps of a token.
    var tokenWord: String {
        let separators = " .:*".utf8
        return String(
            decoding: utf8.map { separators.contains($0) ? UInt8(ascii: "-") : $0 },
            as: UTF8.self)
    }
}
