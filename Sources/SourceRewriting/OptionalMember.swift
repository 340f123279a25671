import SwiftSyntax

/// An `@objc optional` method of a protocol. On Linux, it becomes a property with a closure. The
/// property is nil if a class does not declare the method.
struct OptionalMember {
    let owner: String
    let method: TargetIndex.Method
    /// The type of the method, such as `(Int, String) throws -> Bool`.
    let type: String
    let access: String
    let condition: String?
    let attributes: [String]

    /// The name of the property, made from the method's name and labels.
    var name: String {
        let labels = method.labels.map { $0 == "_" ? "" : $0 }
        return (["optional", method.name] + labels).joined(separator: "_")
    }

    var requirement: String { "\(words)var \(name): (\(type))? { get }" }

    /// The default implementation of the property. Classes that do not declare the method use it.
    var defaultValue: String {
        let member = "\(words)\(prefix(access))var \(name): (\(type))? { nil }"
        let text = "extension \(owner) { \(member) }"
        return condition.map { "#if \($0)\n\(text)\n#endif" } ?? text
    }

    /// The property in a class that declares the method, or whose subclasses may declare it.
    func witness(isImplemented: Bool, isOverride: Bool, access other: String) -> String {
        let labels = method.labels.map { "\($0):" }.joined()
        let reference = "self.\(method.name)" + (labels.isEmpty ? "" : "(\(labels))")
        let isPublic = ["public", "open"].contains(access) && ["public", "open"].contains(other)
        let level = other == "open" && !isOverride ? "open " : "public "
        return words + (isPublic ? level : "") + (isOverride ? "override " : "")
            + "var \(name): (\(type))? { \(isImplemented ? reference : "nil") }"
    }

    private var words: String { attributes.map { $0 + " " }.joined() }

    private func prefix(_ access: String) -> String { access == "public" ? "public " : "" }
}

extension OptionalMember {
    /// - Returns: nil if a property cannot replace the method.
    init?(_ node: FunctionDeclSyntax, of owner: TargetIndex.Declared) {
        guard node.modifiers.contains(where: { $0.name.text == "optional" }),
            !node.modifiers.has("static"), node.genericParameterClause == nil
        else { return nil }
        let parameters = node.signature.parameterClause.parameters
        if parameters.contains(where: { $0.ellipsis != nil }) { return nil }
        let types = parameters.map { ForwarderBuilder.oneLine($0.type) }
        let effects = node.signature.effectSpecifiers.map { ForwarderBuilder.oneLine($0) + " " }
        let result = node.signature.returnClause.map { ForwarderBuilder.oneLine($0.type) } ?? "Void"
        self.owner = owner.name
        method = TargetIndex.Method(
            name: node.name.text.trimmingBackticks, labels: node.labels, types: types,
            selector: "", isOverride: false)
        type = "(\(types.joined(separator: ", "))) \(effects ?? "")-> \(result)"
        access = owner.access
        condition = node.configuration
        attributes = node.attributes.kept
    }
}

extension TargetIndex {
    mutating func addWitnesses() {
        for member in optionals {
            for name in types.keys.sorted() {
                guard let type = types[name], type.isClass, isOwn(name),
                    let text = witness(of: member, in: type)
                else { continue }
                forwarders[name, default: []].append(
                    Forwarder(text: text, condition: member.condition))
            }
        }
    }

    private func witness(of member: OptionalMember, in type: Declared) -> String? {
        let above = ancestry(type.name).filter { $0.isClass && $0.name != type.name }
        guard conforms(type, to: member.owner) else { return nil }
        let isBelow = above.contains { conforms($0, to: member.owner) }
        let isInherited = above.contains { has(member, $0) }
        if isBelow {
            // The base class has the property, so this one must override it.
            guard has(member, type), !isInherited else { return nil }
            return member.witness(isImplemented: true, isOverride: true, access: type.access)
        }
        let isImplemented = isInherited || has(member, type)
        // A subclass, which may be in another module, can declare the method.
        guard isImplemented || !type.isFinal else { return nil }
        return member.witness(
            isImplemented: isImplemented, isOverride: false, access: type.access)
    }

    private func conforms(_ type: Declared, to name: String) -> Bool {
        ancestry(type.name).contains { $0.name == name }
    }

    private func has(_ member: OptionalMember, _ type: Declared) -> Bool {
        type.methods.contains {
            $0.name == member.method.name && $0.labels == member.method.labels
        }
    }
}
