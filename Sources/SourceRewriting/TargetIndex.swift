import SwiftSyntax

/// What the files of a target declare, as far as one file's rewriting depends on the others.
struct TargetIndex {
    struct Property {
        let name: String
        let objectiveCName: String
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
        let selector: String
        let isOverride: Bool
    }

    struct Declared {
        let name: String
        let isClass: Bool
        let file: Int
        let access: String
        let objectiveCName: String?
        let inherited: [String]
        var properties: [Property] = []
        var methods: [Method] = []
    }

    /// By names that begin with the outermost type, with dots between them.
    var types: [String: Declared] = [:]
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
        var scope = scope
        while !scope.isEmpty {
            if let found = types["\(scope).\(name)"] { return found }
            scope = scope.split(separator: ".").dropLast().joined(separator: ".")
        }
        return types[name]
    }

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
            type.inherited.contains { $0.split(separator: ".").last == "NSManagedObject" }
                || type.properties.contains(where: \.isManaged)
        }
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
