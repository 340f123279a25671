import SwiftSyntax

/// A member of a class that Objective-C finds at run time by its name: a property, a method
/// `validate<Key>`, or a class method `keyPathsForValuesAffecting<Key>`.
struct KeyedName {
    enum Kind { case property(isSettable: Bool), validator, dependency }

    let kind: Kind
    let name: String
    let key: String
    /// Whether the member or its extension has the attribute `@objc`.
    let isMarked: Bool
    let isPrivate: Bool
    var isOverride = false
    let file: Int
    let condition: String?

    /// The member's element in the generated array `keyedMembers`, as Swift code.
    func entry(of type: String) -> String {
        switch kind {
        case .validator:
            return ".validator(\"\(key)\", of: \(type).self, { try $0.\(name)($1) })"
        case .dependency:
            return ".affected(\"\(key)\", by: { \(type).\(name)() })"
        case .property(let isSettable):
            let set = isSettable ? ", set: { $0.\(name) = $1 }" : ""
            return ".property(\"\(key)\", of: \(type).self, get: { $0.\(name) }\(set))"
        }
    }
}

extension KeyedName {
    static func properties(
        _ node: VariableDeclSyntax, in file: Int, isMarked: Bool
    ) -> [KeyedName] {
        let modifiers = node.modifiers
        let left: Set = ["static", "class"]
        guard node.attributes.attribute("NSManaged") == nil,
            node.attributes.attribute("MainActor") == nil,
            !modifiers.contains(where: { left.contains($0.name.text) })
        else { return [] }
        let isClosed = modifiers.contains {
            $0.detail?.detail.text == "set" && ["private", "fileprivate"].contains($0.name.text)
        }
        return node.bindings.compactMap { binding in
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
                name != "`init`", !hasEffects(binding)
            else { return nil }
            let isSettable = node.bindingSpecifier.text == "var" && !isClosed && canBeSet(binding)
            return KeyedName(
                kind: .property(isSettable: isSettable), name: name,
                key: node.attributes.objectiveCName ?? name.trimmingBackticks,
                isMarked: isMarked || node.attributes.attribute("objc") != nil,
                isPrivate: ["private", "fileprivate"].contains(modifiers.access),
                isOverride: modifiers.has("override"), file: file, condition: node.configuration)
        }
    }

    /// Recognises a method `validate<Key>` with the parameter that Objective-C passes.
    static func validator(
        _ node: FunctionDeclSyntax, in file: Int, isMarked: Bool
    ) -> KeyedName? {
        let name = node.name.text
        let parameters = node.signature.parameterClause.parameters
        guard name.hasPrefix("validate"), parameters.count == 1, let first = parameters.first,
            first.firstName.text == "_", !node.modifiers.has("override"),
            first.type.plainName.hasSuffix("AutoreleasingUnsafeMutablePointer"),
            let capital = name.dropFirst("validate".count).first, !capital.isLowercase,
            !node.modifiers.contains(where: { ["static", "class"].contains($0.name.text) })
        else { return nil }
        return KeyedName(
            kind: .validator, name: name,
            key: ObjectiveCName.decapitalized(String(name.dropFirst("validate".count))),
            isMarked: isMarked || node.attributes.attribute("objc") != nil,
            isPrivate: ["private", "fileprivate"].contains(node.modifiers.access), file: file,
            condition: node.configuration)
    }

    static func dependency(
        _ node: FunctionDeclSyntax, in file: Int, isMarked: Bool
    ) -> KeyedName? {
        let lead = "keyPathsForValuesAffecting"
        let name = node.name.text
        guard name.hasPrefix(lead), node.signature.parameterClause.parameters.isEmpty,
            let capital = name.dropFirst(lead.count).first, !capital.isLowercase,
            node.modifiers.contains(where: { ["static", "class"].contains($0.name.text) }),
            node.attributes.attribute("MainActor") == nil,
            let result = node.signature.returnClause?.type.plainName,
            ["Set", "NSSet"].contains(result)
        else { return nil }
        return KeyedName(
            kind: .dependency, name: name,
            key: ObjectiveCName.decapitalized(String(name.dropFirst(lead.count))),
            isMarked: isMarked || node.attributes.attribute("objc") != nil,
            isPrivate: ["private", "fileprivate"].contains(node.modifiers.access), file: file,
            condition: node.configuration)
    }

    private static func canBeSet(_ binding: PatternBindingSyntax) -> Bool {
        guard let block = binding.accessorBlock else { return true }
        guard case .accessors(let accessors) = block.accessors else { return false }
        let names = Set(accessors.map(\.accessorSpecifier.text))
        return names.isDisjoint(with: ["get", "_read", "unsafeAddress"])
            || !names.isDisjoint(with: ["set", "_modify"])
    }

    private static func hasEffects(_ binding: PatternBindingSyntax) -> Bool {
        guard case .accessors(let accessors) = binding.accessorBlock?.accessors else {
            return false
        }
        return accessors.contains { $0.effectSpecifiers != nil }
    }
}

extension TargetIndex {
    /// Adds the Objective-C names of managed object classes to the bodies of these classes.
    mutating func addObjectiveCNames() {
        for name in types.keys.sorted() {
            guard let type = types[name], type.isClass, isOwn(name), !type.isGeneric,
                let known = type.objectiveCName, isManaged(name)
            else { continue }
            let access = type.overrideAccess
            // Compares `self` with the class, because a subclass has another Objective-C name.
            let value = "self == \(name).self ? \"\(known)\" : super.objectiveCName"
            let text = "nonisolated \(access)override class var objectiveCName: String { \(value) }"
            forwarders[name, default: []].append(Forwarder(text: text, condition: nil))
        }
    }

    /// Adds an array to each managed object class, with the members that code can find by name.
    mutating func addKeyedMembers() {
        for name in types.keys.sorted() {
            guard let type = types[name], type.isClass, isOwn(name), !type.isGeneric,
                isManaged(name),
                !ancestry(name).contains(where: \.isOnMainActor),
                !type.properties.contains(where: { $0.name == "keyedMembers" })
            else { continue }
            let areAllMarked = ancestry(name).contains(where: \.areMembersMarked)
            let members = (keyed[name] ?? []).filter { member in
                if member.isOverride { return isManaged(property: member.name, above: name) }
                return (member.isMarked || areAllMarked)
                    && (!member.isPrivate || member.file == type.file)
            }
            if members.isEmpty { continue }
            forwarders[name, default: []].append(list(members, of: type))
        }
    }

    /// Whether a superclass declares the property with `@NSManaged`. Its overrides must be in the
    /// array. Other properties are in the array of the class that declares them.
    private func isManaged(property name: String, above type: String) -> Bool {
        ancestry(type).dropFirst().contains { other in
            other.properties.contains { $0.name == name && $0.isManaged }
        }
    }

    private func list(_ members: [KeyedName], of type: Declared) -> Forwarder {
        // Calls `super`, because a superclass in another module can have members too.
        let access = type.overrideAccess
        let head = "\(access)override class var keyedMembers: [KeyedMember] {"
        let plain = members.filter { $0.condition == nil }.map { $0.entry(of: type.name) }
        let start = "super.keyedMembers + [\(plain.joined(separator: ", "))]"
        let conditional = members.filter { $0.condition != nil }
        if conditional.isEmpty {
            return Forwarder(text: "\(head) \(start) }", condition: nil)
        }
        let lines = conditional.map { member in
            "#if \(member.condition ?? "true")\n"
                + "members.append(\(member.entry(of: type.name)))\n#endif"
        }
        return Forwarder(
            text: "\(head)\nvar members: [KeyedMember] = \(start)\n"
                + lines.joined(separator: "\n") + "\nreturn members\n}",
            condition: "true")
    }
}
