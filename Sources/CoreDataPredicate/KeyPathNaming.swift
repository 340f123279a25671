import Foundation
import Synchronization

/// A type that can name the key that a Swift key path reads.
///
/// On Linux, Swift key paths do not contain names. Most names are found in the symbols of the
/// program, and the keys of managed objects by applying the key path to an object. Another type
/// should conform if the program is optimised or stripped. Any type can conform if its keys differ
/// from its property names.
public protocol KeyPathNaming {
    /// Returns the keys that `keyPath` reads, with dots between them; `nil` if they are unknown.
    static func keyName(of keyPath: AnyKeyPath) -> String?
}

/// Finds the keys of Swift key paths.
package enum KeyPathNames {
    /// Returns the keys that a key path reads, with dots between them.
    ///
    /// If the root type conforms to ``KeyPathNaming``, it returns the keys. Otherwise the name of a
    /// stored property is in the program's metadata, and that of a computed property in the symbol
    /// of its getter. Optimised and stripped programs lack these symbols. There a managed class
    /// applies the key path to an object and records the keys that it reads.
    package static func name(of keyPath: AnyKeyPath) -> String? {
        let root = type(of: keyPath).rootType
        if let type = root as? any KeyPathNaming.Type, let name = type.keyName(of: keyPath) {
            return name
        }
        let text = keyPath.debugDescription
        guard let steps = steps(in: text) else { return nil }
        if let name = name(of: steps) { return name }
        guard let type = root as? any KeyPathProbing.Type, steps.allSatisfy(\.isComputed) else {
            return nil
        }
        return probed(keyPath, text, steps.count, type, root)
    }

    // MARK: By symbols

    private enum Step {
        case stored(String)
        case computed(getter: UInt)

        var isComputed: Bool {
            if case .computed = self { return true }
            return false
        }
    }

    /// The properties in `\Book.<computed 0x000055cf962941b0 (Optional<Author>)>?.name`.
    private static func steps(in text: String) -> [Step]? {
        guard let dot = text.firstIndex(of: ".") else { return nil }
        var steps: [Step] = []
        var rest = text[text.index(after: dot)...]
        while !rest.isEmpty {
            if let address = address(atStartOf: &rest) {
                steps.append(.computed(getter: address))
            } else {
                let name = rest.prefix { $0 != "." && $0 != "?" && $0 != "!" }
                guard let first = name.first, first.isLetter || first == "_", !name.contains("<")
                else { return nil }
                steps.append(.stored(String(name)))
                rest = rest.dropFirst(name.count)
            }
            rest = rest.drop { $0 == "." || $0 == "?" || $0 == "!" }
        }
        return steps.isEmpty ? nil : steps
    }

    private static func name(of steps: [Step]) -> String? {
        var keys: [String] = []
        for step in steps {
            switch step {
            case .stored(let name): keys.append(name)
            case .computed(let getter):
                guard let name = ImageSymbols.property(getterAt: getter),
                    name.first.map({ $0.isLetter || $0 == "_" }) ?? false
                else { return nil }
                keys.append(name)
            }
        }
        return keys.joined(separator: ".")
    }

    /// Removes a component `<computed 0x… (Type)>` from the start of a string.
    private static func address(atStartOf text: inout Substring) -> UInt? {
        let lead = "<computed 0x"
        guard text.hasPrefix(lead) else { return nil }
        let digits = text.dropFirst(lead.count).prefix(while: \.isHexDigit)
        // The name of a type may contain brackets.
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

    // MARK: By trial

    /// The key of a cache entry. The debug description of a key path contains the addresses of its
    /// getters.
    private struct Tried: Hashable {
        let root: ObjectIdentifier
        let text: String
    }

    /// The results of applying key paths to objects. Each key path is applied only until it has a
    /// result.
    private static let tried = Mutex<[Tried: String?]>([:])

    private static func probed(
        _ keyPath: AnyKeyPath, _ text: String, _ steps: Int, _ type: any KeyPathProbing.Type,
        _ root: Any.Type
    ) -> String? {
        let place = Tried(root: ObjectIdentifier(root), text: text)
        if let known = tried.withLock({ $0[place] }) { return known }
        // The lock is not held here, because getters run the program's code.
        let name: String?
        switch type.probe(keyPath, steps: steps) {
        case .keys(let keys): name = keys.joined(separator: ".")
        case .none: name = nil
        case .notYet: return nil
        }
        tried.withLock { $0[place] = .some(name) }
        return name
    }

    /// The keys of a key path, or an explanation if they are unknown. No entity has the explanation
    /// as a key, so a fetch fails with an error that contains it.
    static func nameOrNote(of keyPath: AnyKeyPath) -> String {
        name(of: keyPath)
            ?? "\(keyPath), whose name this program does not contain; write the key as text"
    }
}

/// The keys of a key path, which are found at the first access.
///
/// A sort descriptor may be created before its model is used, and the keys cannot be found until
/// then.
final class KeyPathName: Sendable {
    private let found: Mutex<[String]?>

    init(of keyPath: AnyKeyPath) { found = Mutex(Self.keys(of: keyPath)) }

    private static func keys(of keyPath: AnyKeyPath) -> [String]? {
        KeyPathNames.name(of: keyPath)?.split(separator: ".").map(String.init)
    }

    /// The separate keys; nil while they are unknown.
    func keys(of keyPath: AnyKeyPath) -> [String]? {
        if let known = found.withLock({ $0 }) { return known }
        let keys = Self.keys(of: keyPath)
        if keys != nil { found.withLock { $0 = keys } }
        return keys
    }
}

extension NSExpression {
    /// Creates a key path of the evaluated object from a Swift key path.
    ///
    /// Fetches and evaluations report a key path without a name; see ``KeyPathNaming``.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self.init(
            forKeyPath: KeyPathNames.nameOrNote(of: keyPath))
    }
}

extension NSSortDescriptor {
    /// Creates a criterion that compares with `compare:` from a Swift key path.
    ///
    /// Fetches and evaluations report a key path without a name; see ``KeyPathNaming``.
    public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(ascending: ascending, selector: "compare:", comparator: nil, keyPath: keyPath)
    }

    /// Creates a criterion that calls a function. It works only in memory; stores reject it.
    ///
    /// Fetches and evaluations report a key path without a name; see ``KeyPathNaming``.
    public convenience init<Root, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator: @escaping Comparator
    ) {
        self.init(ascending: ascending, selector: nil, comparator: comparator, keyPath: keyPath)
    }

    /// Creates a criterion from a Swift sort descriptor with a key path.
    ///
    /// On Linux a `SortDescriptor` has no localized orders, so strings compare by code points.
    ///
    /// Fetches and evaluations report a key path without a name; see ``KeyPathNaming``.
    public convenience init<Compared>(
        _ descriptor: SortDescriptor<Compared>
    ) where Compared: NSObject {
        let isAscending = descriptor.order == .forward
        guard let keyPath = descriptor.keyPath else {
            self.init(
                key: "the key of a SortDescriptor without a key path", ascending: isAscending)
            return
        }
        self.init(ascending: isAscending, selector: "compare:", comparator: nil, keyPath: keyPath)
    }
}
