/// Lets predicates and sort descriptors read `@objc` properties of classes that are not managed
/// object classes, as key-value coding does on Apple's systems.
extension TargetIndex {
    /// Adds a method that reads properties by name to each class below `NSObject` with such
    /// properties.
    mutating func addValueReaders() {
        for name in types.keys.sorted() {
            guard let type = types[name], isReadable(type) else { continue }
            let members = readableMembers(of: type)
            guard !members.isEmpty else { continue }
            let isRoot = !ancestry(name).dropFirst().contains {
                $0.isClass && isReadable($0) && !readableMembers(of: $0).isEmpty
            }
            if isRoot { valueReaders.insert(name) }
            forwarders[name, default: []].append(reader(of: members, type, isRoot: isRoot))
        }
    }

    private func isReadable(_ type: Declared) -> Bool {
        let ancestors = ancestry(type.name)
        return type.isClass && isOwn(type.name) && !type.isGeneric && !isManaged(type.name)
            && !["private", "fileprivate"].contains(type.access)
            && ancestors.contains { $0.inherited.contains("NSObject") }
            && !ancestors.contains { $0.isOnMainActor || $0.inherited.contains("KeyValueCodable") }
            && !ancestors.flatMap(\.methods).contains { $0.name == "predicateValue" }
    }

    private func readableMembers(of type: Declared) -> [KeyedName] {
        let areAllMarked = ancestry(type.name).contains(where: \.areMembersMarked)
        return (keyed[type.name] ?? []).filter { member in
            guard case .property = member.kind, !member.isOverride else { return false }
            return (member.isMarked || areAllMarked) && member.condition == nil
                && member.file < ownFiles
                && (!member.isPrivate || member.file == type.file)
        }
    }

    private func reader(of members: [KeyedName], _ type: Declared, isRoot: Bool) -> Forwarder {
        let cases = members.map { "case \"\($0.key)\": return self.\($0.name)" }
        let rest =
            isRoot
            ? "throw PredicateEvaluationError(\"a \\(Swift.type(of: self)) has no value for the key"
                + " '\\(key)'; use a property that is marked with @objc\")"
            : "return try super.predicateValue(forKey: key)"
        let access = type.overrideAccess + (isRoot ? "" : "override ")
        return Forwarder(
            text: "\(access)func predicateValue(forKey key: String)"
                + " throws(PredicateEvaluationError) -> Any? { switch key {"
                + " \(cases.joined(separator: "; ")); default: \(rest) } }", condition: nil)
    }
}
