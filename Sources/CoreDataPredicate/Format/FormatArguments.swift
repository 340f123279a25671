import Foundation

// On Apple's systems these types are objects or bridge to objects, so programs write
// `date as CVarArg` for `%@` in a format. Formats of this module use the value itself; other
// formats (`String(format:)`) use its description, which is the text that `%@` shows.

extension Date: @retroactive CVarArg {
    /// The description, for formats of other modules.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension UUID: @retroactive CVarArg {
    /// The description, for formats of other modules.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension URL: @retroactive CVarArg {
    /// The description, for formats of other modules.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Data: @retroactive CVarArg {
    /// The description, for formats of other modules.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Decimal: @retroactive CVarArg {
    /// The description, for formats of other modules.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Array: @retroactive CVarArg {
    /// The description, for formats of other modules.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Set: @retroactive CVarArg {
    /// The description, for formats of other modules.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Dictionary: @retroactive CVarArg {
    /// The description, for formats of other modules.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension NSObject: @retroactive CVarArg {
    /// The description, for formats of other modules.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}
