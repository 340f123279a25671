import Foundation

// On Apple's systems these types are objects, or bridge to one, so that programs write
// `date as CVarArg` where a format has `%@`. Formats of this module take the value itself; other
// formats (`String(format:)`) get its description, which is what `%@` shows.

extension Date: @retroactive CVarArg {
    /// The description, for formats that are not of this module.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension UUID: @retroactive CVarArg {
    /// The description, for formats that are not of this module.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension URL: @retroactive CVarArg {
    /// The description, for formats that are not of this module.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Data: @retroactive CVarArg {
    /// The description, for formats that are not of this module.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Decimal: @retroactive CVarArg {
    /// The description, for formats that are not of this module.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Array: @retroactive CVarArg {
    /// The description, for formats that are not of this module.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Set: @retroactive CVarArg {
    /// The description, for formats that are not of this module.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension Dictionary: @retroactive CVarArg {
    /// The description, for formats that are not of this module.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}

extension NSObject: @retroactive CVarArg {
    /// The description, for formats that are not of this module.
    public var _cVarArgEncoding: [Int] { ArgumentTexts.all.encoding(of: self) }
}
