import SwiftSyntax

/// The declarations of a target's files that the rewriting of other files needs.
struct TargetIndex {
    struct Property {
        let name: String
        let objectiveCName: String
        /// The Objective-C names of the getter and the setter, if `@objc` attributes declare them.
        var getter: String?
        var setter: String?
        /// The type annotation; empty if the type is inferred.
        let type: String
        let isManaged: Bool
        let isPrivate: Bool
        let isOverride: Bool
        let file: Int
    }

    struct Method {
        let name: String
        let labels: [String]
        /// The parameter types, as written.
        var types: [String] = []
        let selector: String
        var givesValue = false
        /// Whether the method is isolated to the main actor; nil if this depends on the method's
        /// class.
        var isOnMainActor: Bool?
        let isOverride: Bool
    }

    struct Declared {
        let name: String
        let isClass: Bool
        let isProtocol: Bool
        let isFinal: Bool
        let isGeneric: Bool
        /// Whether the class is marked with `@objcMembers`.
        let areMembersMarked: Bool
        var isOnMainActor = false
        let file: Int
        let access: String
        let objectiveCName: String?
        var inherited: [String]
        var properties: [Property] = []
        var methods: [Method] = []
    }

    /// The number of files of the target. Files with higher indices belong to imported targets.
    var ownFiles = 0
    /// The types by their full names, such as `Outer.Inner`.
    var types: [String: Declared] = [:]
    /// The types of `typealias` declarations, by their full names.
    var aliases: [String: String] = [:]
    /// The members of types that code can find at run time by name.
    var keyed: [String: [KeyedName]] = [:]
    /// The optional methods of protocols.
    var optionals: [OptionalMember] = []
    /// The initial values of constants with selectors, by their names.
    var selectors: [String: ExprSyntax] = [:]
    /// Global functions.
    var functions: Set<String> = []
    /// The members to add to the bodies of classes, by type. Each of them calls a member of an
    /// extension.
    var forwarders: [String: [Forwarder]] = [:]

    /// A member to add to the body of a class, which calls a member of an extension.
    struct Forwarder {
        let text: String
        /// The `#if` conditions that enclose the extension.
        let condition: String?
    }

    /// The type to which a name refers in a scope.
    func type(_ name: String, in scope: String = "") -> Declared? {
        var name = name
        // An alias can refer to another alias. The number of steps is limited because aliases can
        // form a cycle.
        for _ in 0..<8 {
            let candidates = Self.scopes(scope).map { $0.isEmpty ? name : "\($0).\(name)" }
            for candidate in candidates where types[candidate] != nil { return types[candidate] }
            guard let alias = candidates.lazy.compactMap({ aliases[$0] }).first else { return nil }
            name = alias
        }
        return nil
    }

    /// The scope and its enclosing scopes, from the innermost scope to the file.
    private static func scopes(_ scope: String) -> [String] {
        let names = scope.split(separator: ".")
        return (0...names.count).reversed().map { names.prefix($0).joined(separator: ".") }
    }

    /// Whether the target itself declares the type.
    func isOwn(_ name: String) -> Bool { types[name].map { $0.file < ownFiles } ?? false }

    /// The type and those of its superclasses and protocols that the index contains.
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

    /// Whether the declarations in the index show that the class is a managed object class.
    func isManaged(_ name: String) -> Bool {
        ancestry(name).contains { type in
            type.inherited.contains { name in
                let meant = aliases[name] ?? name
                return meant.split(separator: ".").last == "NSManagedObject"
            }
                || type.properties.contains(where: \.isManaged)
        }
    }

    /// Whether the method is isolated to the main actor.
    func isOnMainActor(_ method: Method, of type: String) -> Bool {
        method.isOnMainActor ?? ancestry(type).contains(where: \.isOnMainActor)
    }

    func property(_ name: String, of type: String) -> Property? {
        ancestry(type).lazy.compactMap { $0.properties.first { $0.name == name } }.first
    }

    func methods(_ name: String, of type: String) -> [Method] {
        ancestry(type).flatMap { $0.methods.filter { $0.name == name } }
    }

    /// Whether a subclass overrides the property.
    func isOverridden(property name: String, of type: String) -> Bool {
        types.values.contains { other in
            other.name != type
                && other.properties.contains { $0.isOverride && $0.name == name }
                && ancestry(other.name).contains { $0.name == type }
        }
    }

    /// Whether a subclass overrides the method.
    func isOverridden(_ method: Method, of type: String) -> Bool {
        types.values.contains { other in
            other.name != type
                && other.methods.contains {
                    $0.isOverride && $0.name == method.name && $0.labels == method.labels
                } && ancestry(other.name).contains { $0.name == type }
        }
    }
}
