import SwiftSyntax

/// What the files of a target declare, as far as one file's rewriting depends on the others.
struct TargetIndex {
    struct Property {
        let name: String
        let objectiveCName: String
        /// The names of the getter and the setter, where they are written.
        var getter: String?
        var setter: String?
        /// The type as it is written; empty where it is inferred.
        let type: String
        let isManaged: Bool
        let isPrivate: Bool
        let isOverride: Bool
        let file: Int
    }

    struct Method {
        let name: String
        let labels: [String]
        /// The parameters' types as they are written.
        var types: [String] = []
        let selector: String
        var givesValue = false
        /// Whether the main actor runs it; nil where its class tells.
        var isOnMainActor: Bool?
        let isOverride: Bool
    }

    struct Declared {
        let name: String
        let isClass: Bool
        let isProtocol: Bool
        let isFinal: Bool
        let isGeneric: Bool
        /// Whether `@objcMembers` is written.
        let areMembersMarked: Bool
        var isOnMainActor = false
        let file: Int
        let access: String
        let objectiveCName: String?
        var inherited: [String]
        var properties: [Property] = []
        var methods: [Method] = []
    }

    /// How many files are the target's own; those behind them are of targets that it imports.
    var ownFiles = 0
    /// By names that begin with the outermost type, with dots between them.
    var types: [String: Declared] = [:]
    /// What names of `typealias` stand for, by their full names.
    var aliases: [String: String] = [:]
    /// What names reach of types.
    var keyed: [String: [KeyedName]] = [:]
    /// The optional methods of protocols.
    var optionals: [OptionalMember] = []
    /// What constants are declared with that hold selectors, by their names.
    var selectors: [String: ExprSyntax] = [:]
    /// Functions at the level of files.
    var functions: Set<String> = []
    /// What the classes' bodies get, of members that extensions have.
    var forwarders: [String: [Forwarder]] = [:]

    /// A member for the body of a class, which calls one in an extension.
    struct Forwarder {
        let text: String
        /// The conditions of `#if` that the extension is under.
        let condition: String?
    }

    /// The declared type that a name in a scope means.
    func type(_ name: String, in scope: String = "") -> Declared? {
        var name = name
        // An alias may stand for another; a circle of them ends.
        for _ in 0..<8 {
            let candidates = Self.scopes(scope).map { $0.isEmpty ? name : "\($0).\(name)" }
            for candidate in candidates where types[candidate] != nil { return types[candidate] }
            guard let alias = candidates.lazy.compactMap({ aliases[$0] }).first else { return nil }
            name = alias
        }
        return nil
    }

    /// The scope and those around it, the file's last.
    private static func scopes(_ scope: String) -> [String] {
        let names = scope.split(separator: ".")
        return (0...names.count).reversed().map { names.prefix($0).joined(separator: ".") }
    }

    /// Whether the target declares the type, and no other module does.
    func isOwn(_ name: String) -> Bool { types[name].map { $0.file < ownFiles } ?? false }

    /// The type and those it inherits from, as far as the target declares them.
    func ancestry(_ name: String) -> [Declared] {
        var found: [Declared] = []
        var names = [name]
        while let next = names.popLast() {
            guard let type = type(next, in: name), !found.contains(where: { $0.name == type.name })
            else { continue }
            found.append(type)
            names += type.inherited
        }
        return found
    }

    /// Whether the class is one of managed objects, as far as the target tells.
    func isManaged(_ name: String) -> Bool {
        ancestry(name).contains { type in
            type.inherited.contains { name in
                let meant = aliases[name] ?? name
                return meant.split(separator: ".").last == "NSManagedObject"
            }
                || type.properties.contains(where: \.isManaged)
        }
    }

    /// Whether the main actor runs the method.
    func isOnMainActor(_ method: Method, of type: String) -> Bool {
        method.isOnMainActor ?? ancestry(type).contains(where: \.isOnMainActor)
    }

    func property(_ name: String, of type: String) -> Property? {
        ancestry(type).lazy.compactMap { $0.properties.first { $0.name == name } }.first
    }

    func methods(_ name: String, of type: String) -> [Method] {
        ancestry(type).flatMap { $0.methods.filter { $0.name == name } }
    }

    /// Whether a class below this one overrides the property.
    func isOverridden(property name: String, of type: String) -> Bool {
        types.values.contains { other in
            other.name != type
                && other.properties.contains { $0.isOverride && $0.name == name }
                && ancestry(other.name).contains { $0.name == type }
        }
    }

    /// Whether a class below this one overrides the method.
    func isOverridden(_ method: Method, of type: String) -> Bool {
        types.values.contains { other in
            other.name != type
                && other.methods.contains {
                    $0.isOverride && $0.name == method.name && $0.labels == method.labels
                } && ancestry(other.name).contains { $0.name == type }
        }
    }
}
