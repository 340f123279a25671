import Foundation

// Lets programs write `date as CVarArg` for `%@` in a format, as on Apple's systems, where these
// types are objects or bridge to objects. A format of this module uses the value itself. Other
// formats, such as `String(format:)`, use its description, which `%@` prints.

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
