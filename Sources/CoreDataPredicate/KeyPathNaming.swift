import Foundation

/// A type that can say which key a Swift key path reads.
///
/// Swift on Linux keeps no names in key paths; the symbols of the program tell most. A type whose
/// key paths read under other keys, or in an optimised or stripped program, may conform.
public protocol KeyPathNaming {
    /// Returns the keys that `keyPath` reads, with dots between them; `nil` when it is unknown.
    static func keyName(of keyPath: AnyKeyPath) -> String?
}

/// Finding the keys of Swift key paths.
package enum KeyPathNames {
    /// Returns the keys that a key path reads, with dots between them.
    ///
    /// The root type is asked first. A stored property has its name in the program's metadata; of a
    /// computed one the symbol of its getter tells it, so that a stripped program has none and an
    /// optimised one only some.
    package static func name(of keyPath: AnyKeyPath) -> String? {
        if let type = type(of: keyPath).rootType as? any KeyPathNaming.Type,
            let name = type.keyName(of: keyPath)
        {
            return name
        }
        return name(in: keyPath.debugDescription)
    }

    /// The keys in `\Book.<computed 0x000055cf962941b0 (Optional<Author>)>?.name`.
    private static func name(in text: String) -> String? {
        guard let dot = text.firstIndex(of: ".") else { return nil }
        var keys: [String] = []
        var rest = text[text.index(after: dot)...]
        while !rest.isEmpty {
            if let address = address(atStartOf: &rest) {
                guard let name = ImageSymbols.property(getterAt: address) else { return nil }
                keys.append(name)
            } else {
                keys.append(String(rest.prefix { $0 != "." && $0 != "?" && $0 != "!" }))
                rest = rest.drop { $0 != "." && $0 != "?" && $0 != "!" }
            }
            rest = rest.drop { $0 == "." || $0 == "?" || $0 == "!" }
        }
        let isWhole = keys.allSatisfy { key in
            key.first.map { $0.isLetter || $0 == "_" } ?? false && !key.contains("<")
        }
        return keys.isEmpty || !isWhole ? nil : keys.joined(separator: ".")
    }

    /// Takes `<computed 0x… (Type)>` off a text.
    private static func address(atStartOf text: inout Substring) -> UInt? {
        let lead = "<computed 0x"
        guard text.hasPrefix(lead) else { return nil }
        let digits = text.dropFirst(lead.count).prefix(while: \.isHexDigit)
        // Types may have brackets of their own.
        var depth = 0
        guard
            let end = text.firstIndex(where: { character in
                if character == "<" { depth += 1 }
                if character == ">" { depth -= 1 }
                return depth == 0
            })
        else { return nil }
        text = text[text.index(after: end)...]
        return UInt(digits, radix: 16)
    }

    /// The keys, or a text that no entity has as a key: who fetches with it is told what it was.
    static func nameOrNote(of keyPath: AnyKeyPath) -> String {
        name(of: keyPath) ?? "\(keyPath), whose name is not in this program; write the key as text"
    }
}

extension NSExpression {
    /// Makes a key path of the evaluated object from one of Swift.
    ///
    /// A key path without a name is told by whoever fetches or evaluates; see ``KeyPathNaming``.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self.init(
            forKeyPath: KeyPathNames.nameOrNote(of: keyPath))
    }
}

extension NSSortDescriptor {
    /// Makes a criterion that compares with `compare:` from a Swift key path.
    ///
    /// A key path without a name is told by whoever fetches or evaluates; see ``KeyPathNaming``.
    public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(
            key: KeyPathNames.nameOrNote(of: keyPath), ascending: ascending,
            selector: "compare:", comparator: nil, keyPath: keyPath)
    }

    /// Makes a criterion that asks a function; it works in memory only, stores refuse it.
    ///
    /// A key path without a name is told by whoever fetches or evaluates; see ``KeyPathNaming``.
    public convenience init<Root, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator: @escaping Comparator
    ) {
        self.init(
            key: KeyPathNames.nameOrNote(of: keyPath), ascending: ascending,
            selector: nil, comparator: comparator, keyPath: keyPath)
    }

    /// Makes a criterion from a Swift sort descriptor that names a key path.
    ///
    /// On Linux a `SortDescriptor` knows no localized orders, so strings compare by code points.
    ///
    /// A key path without a name is told by whoever fetches or evaluates; see ``KeyPathNaming``.
    public convenience init<Compared>(
        _ descriptor: SortDescriptor<Compared>
    ) where Compared: NSObject {
        let keyPath = descriptor.keyPath
        self.init(
            key: keyPath.map { KeyPathNames.nameOrNote(of: $0) }
                ?? "what a SortDescriptor without a key path compares",
            ascending: descriptor.order == .forward, selector: "compare:", comparator: nil,
            keyPath: keyPath)
    }
}
