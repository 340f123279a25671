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

/// Keeps the texts of arguments until whoever formats has read them.
///
/// `@unchecked Sendable` because `lock` guards the list.
private final class ArgumentTexts: @unchecked Sendable {
    static let all = ArgumentTexts()
    /// More than a format has arguments, times the threads that format at one moment.
    private static let countMax = 4096

    private let lock = NSLock()
    private var texts: [NSString] = []
    private var next = 0

    /// The address of a string object, as C's variable arguments have it.
    func encoding(of value: some CustomStringConvertible) -> [Int] {
        let text = NSString(string: value.description)
        lock.withLock {
            if texts.count < Self.countMax {
                texts.append(text)
            } else {
                texts[next] = text
                next = (next + 1) % Self.countMax
            }
        }
        return [Int(bitPattern: Unmanaged.passUnretained(text).toOpaque())]
    }
}
