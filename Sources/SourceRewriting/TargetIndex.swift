import SwiftSyntax

/// The declarations of a target that are needed to rewrite its files.
struct TargetIndex {
    struct Property {
        let name: String
        let objectiveCName: String
        /// The Objective-C names of the getter and the setter, if `@objc` attributes declare them.
        var getter: String?
        var setter: String?
        let type: String
        let isManaged: Bool
        let isPrivate: Bool
        let isOverride: Bool
        let file: Int
    }

    struct Method {
        let name: String
        let labels: [String]
        var types: [String] = []
        let selector: String
        var givesValue = false
        /// Whether the method is isolated to the main actor; nil if the method's class decides.
        var isOnMainActor: Bool?
        let isOverride: Bool
    }

    struct Declared {
        let name: String
        let isClass: Bool
        let isProtocol: Bool
        let isFinal: Bool
        let isGeneric: Bool
        let areMembersMarked: Bool
        var isOnMainActor = false
        let file: Int
        let access: String
        let objectiveCName: String?
        var inherited: [String]
        private(set) var properties: [Property] = []
        private(set) var methods: [Method] = []
        // The positions of members. A type may have thousands of members, and the rewriter searches
        // for a member at each use.
        private(set) var propertiesByName: [String: Int] = [:]
        private(set) var propertiesByCapital: [String: Int] = [:]
        private(set) var methodsByName: [String: [Int]] = [:]
        private(set) var hasManaged = false

        mutating func add(_ more: [Property], _ moreMethods: [Method]) {
            for property in more {
                let capital = ObjectiveCName.capitalized(property.objectiveCName)
                if propertiesByName[property.name] == nil {
                    propertiesByName[property.name] = properties.count
                }
                if propertiesByCapital[capital] == nil {
                    propertiesByCapital[capital] = properties.count
                }
                hasManaged = hasManaged || property.isManaged
                properties.append(property)
            }
            for method in moreMethods {
                methodsByName[method.name, default: []].append(methods.count)
                methods.append(method)
            }
        }

        /// The first property with a name.
        func property(_ name: String) -> Property? { propertiesByName[name].map { properties[$0] } }

        /// The first property whose Objective-C name is this name with a capital letter.
        func property(capitalized name: String) -> Property? {
            propertiesByCapital[name].map { properties[$0] }
        }

        func methods(_ name: String) -> [Method] {
            (methodsByName[name] ?? []).map { methods[$0] }
        }

        /// The access level of a member that overrides an open member, with a space; empty if the
        /// level need not be written.
        var overrideAccess: String {
            ["public", "open", "package"].contains(access) ? access + " " : ""
        }
    }

    /// The number of files of the target. Files with higher numbers belong to imported targets.
    var ownFiles = 0
    /// The types by their full names, such as `Outer.Inner`.
    var types: [String: Declared] = [:]
    var aliases: [String: String] = [:]
    /// Members that code can find at run time by name, by type.
    var keyed: [String: [KeyedName]] = [:]
    var optionals: [OptionalMember] = []
    /// The initial values of constants with selectors, by name.
    var selectors: [String: ExprSyntax] = [:]
    var functions: Set<String> = []
    /// The types that declare a property or method with a name, in alphabetical order.
    private(set) var declarers: [String: [String]] = [:]
    /// Classes other than managed object classes to which predicates get access.
    var valueReaders: Set<String> = []
    /// The members to add to the bodies of classes, by type.
    var forwarders: [String: [Forwarder]] = [:]

    /// A member to add to the body of a class, for example one that calls a member of an extension.
    struct Forwarder {
        let text: String
        let condition: String?
    }

    func type(_ name: String, in scope: String = "") -> Declared? {
        var name = name
        // An alias can refer to another alias. Aliases can form a cycle, so the number of steps is
        // limited.
        for _ in 0..<8 {
            let candidates = Self.scopes(scope).map { $0.isEmpty ? name : "\($0).\(name)" }
            for candidate in candidates where types[candidate] != nil { return types[candidate] }
            guard let alias = candidates.lazy.compactMap({ aliases[$0] }).first else { return nil }
            name = alias
        }
        return nil
    }

    private static func scopes(_ scope: String) -> [String] {
        let names = scope.split(separator: ".")
        return (0...names.count).reversed().map { names.prefix($0).joined(separator: ".") }
    }

    /// Lists the types by the names of their members. Called when all members were added.
    mutating func listDeclarers() {
        for name in types.keys.sorted() {
            guard let type = types[name] else { continue }
            let names = Set(type.properties.map(\.name)).union(type.methods.map(\.name))
            for member in names { declarers[member, default: []].append(name) }
        }
    }

    func declarers(of member: String) -> [Declared] {
        (declarers[member] ?? []).compactMap { types[$0] }
    }

    func isOwn(_ name: String) -> Bool { types[name].map { $0.file < ownFiles } ?? false }

    /// The type, and those of its superclasses and protocols that the index contains.
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

    /// Whether the index shows that this is a managed object class.
    func isManaged(_ name: String) -> Bool {
        ancestry(name).contains { type in
            type.inherited.contains { name in
                let meant = aliases[name] ?? name
                return meant.split(separator: ".").last == "NSManagedObject"
            }
                || type.hasManaged
        }
    }

    func isOnMainActor(_ method: Method, of type: String) -> Bool {
        method.isOnMainActor ?? ancestry(type).contains(where: \.isOnMainActor)
    }

    func property(_ name: String, of type: String) -> Property? {
        ancestry(type).lazy.compactMap { $0.property(name) }.first
    }

    func methods(_ name: String, of type: String) -> [Method] {
        ancestry(type).flatMap { $0.methods(name) }
    }

    func isOverridden(property name: String, of type: String) -> Bool {
        declarers(of: name).contains { other in
            other.name != type
                && other.properties.contains { $0.isOverride && $0.name == name }
                && ancestry(other.name).contains { $0.name == type }
        }
    }

    func isOverridden(_ method: Method, of type: String) -> Bool {
        declarers(of: method.name).contains { other in
            other.name != type
                && other.methods(method.name).contains {
                    $0.isOverride && $0.labels == method.labels
                } && ancestry(other.name).contains { $0.name == type }
        }
    }
}
