import Foundation

/// A type that can say which key a Swift key path reads.
///
/// Swift on Linux keeps no names in key paths. Managed object classes know theirs from the model;
/// other types may conform.
public protocol KeyPathNaming {
    /// Returns the keys that `keyPath` reads, with dots between them; `nil` when it is unknown.
    static func keyName(of keyPath: AnyKeyPath) -> String?
}

/// Finding the keys of Swift key paths.
package enum KeyPathNames {
    /// Returns the keys that a key path reads, with dots between them.
    ///
    /// The root type is asked first; then the names that the executable's symbols give, which are
    /// there when it was linked with `-rdynamic`.
    package static func name(of keyPath: AnyKeyPath) -> String? {
        if let type = type(of: keyPath).rootType as? any KeyPathNaming.Type,
            let name = type.keyName(of: keyPath)
        {
            return name
        }
        let text = keyPath.debugDescription
        guard !text.contains("<"), let dot = text.firstIndex(of: ".") else { return nil }
        let name = text[text.index(after: dot)...].filter { $0 != "?" && $0 != "!" }
        return name.isEmpty ? nil : name
    }

    static func nameOrTrap(of keyPath: AnyKeyPath, instead: String) -> String {
        guard let name = name(of: keyPath) else {
            preconditionFailure(
                "\(keyPath) has no key name on Linux; write \(instead), or make its type "
                    + "KeyPathNaming")
        }
        return name
    }
}

extension NSExpression {
    /// Makes a key path of the evaluated object from one of Swift.
    ///
    /// - Precondition: The root type can name the key path; see ``KeyPathNaming``.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self.init(
            forKeyPath: KeyPathNames.nameOrTrap(
                of: keyPath, instead: "NSExpression(forKeyPath: \"name\")"))
    }
}

extension NSSortDescriptor {
    private static let byName = "NSSortDescriptor(key: \"name\", ascending: true)"

    /// Makes a criterion that compares with `compare:` from a Swift key path.
    ///
    /// - Precondition: The root type can name the key path; see ``KeyPathNaming``.
    public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(
            key: KeyPathNames.nameOrTrap(of: keyPath, instead: Self.byName), ascending: ascending,
            selector: "compare:", comparator: nil, keyPath: keyPath)
    }

    /// Makes a criterion that asks a function; it works in memory only, stores refuse it.
    ///
    /// - Precondition: The root type can name the key path; see ``KeyPathNaming``.
    public convenience init<Root, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator: @escaping Comparator
    ) {
        self.init(
            key: KeyPathNames.nameOrTrap(of: keyPath, instead: Self.byName), ascending: ascending,
            selector: nil, comparator: comparator, keyPath: keyPath)
    }

    /// Makes a criterion from a Swift sort descriptor that names a key path.
    ///
    /// On Linux a `SortDescriptor` knows no localized orders, so strings compare by code points.
    ///
    /// - Precondition: The root type can name the key path; see ``KeyPathNaming``.
    public convenience init<Compared>(
        _ descriptor: SortDescriptor<Compared>
    ) where Compared: NSObject {
        guard let keyPath = descriptor.keyPath else {
            preconditionFailure("a SortDescriptor without a key path has no NSSortDescriptor")
        }
        self.init(
            key: KeyPathNames.nameOrTrap(of: keyPath, instead: Self.byName),
            ascending: descriptor.order == .forward, selector: "compare:", comparator: nil,
            keyPath: keyPath)
    }
}
