import SwiftSyntax

/// The kind of a Core Data accessor function. Its name determines the kind.
struct AccessorFunction {
    enum Kind: Equatable {
        case addOne, addMany, removeOne, removeMany
        case insertOne, insertMany, removeAt, removeAtMany, replaceOne, replaceMany
        case primitiveGetter, primitiveSetter
    }

    let kind: Kind
    /// The property's name, capitalised as in the function's name.
    let property: String

    /// Parses the Objective-C name of a function; nil if it is not an accessor.
    ///
    /// The accessors are those that the versions of Xcode generate. See "Managed Object Accessor
    /// Methods" in Apple's guide.
    init?(selector: String) {
        let patterns: [(start: String, end: String, kind: Kind)] = [
            ("insertObject:in", "AtIndex:", .insertOne),
            ("removeObjectFrom", "AtIndex:", .removeAt),
            ("replaceObjectIn", "AtIndex:withObject:", .replaceOne),
            ("insert", ":atIndexes:", .insertMany), ("remove", "AtIndexes:", .removeAtMany),
            ("setPrimitive", ":", .primitiveSetter), ("primitive", "", .primitiveGetter),
            ("add", "Object:", .addOne), ("remove", "Object:", .removeOne),
            ("add", ":", .addMany), ("remove", ":", .removeMany),
        ]
        for (start, end, kind) in patterns {
            if let property = Self.middle(of: selector, start, end) {
                self.kind = kind
                self.property = property
                return
            }
        }
        // Names such as `replaceBooksAtIndexes:withBooks:`.
        guard
            let end = selector.firstRange(of: "AtIndexes:with").map({ selector[$0.lowerBound...] }),
            let property = Self.middle(of: selector, "replace", String(end))
        else { return nil }
        kind = .replaceMany
        self.property = property
    }

    private static func middle(of text: String, _ start: String, _ end: String) -> String? {
        guard text.hasPrefix(start), text.hasSuffix(end), text.count > start.count + end.count
        else { return nil }
        let property = String(text.dropFirst(start.count).dropLast(end.count))
        guard !property.contains(":"), let first = property.first, !first.isLowercase else {
            return nil
        }
        return property
    }

    /// Parses the name and the parameters of a function that Xcode generates in Swift.
    init?(_ name: String, _ parameters: [FunctionParameterSyntax]) {
        guard let first = parameters.first else { return nil }
        let isMany = Self.isCollection(first.type)
        let isAtMany = Self.isIndexes(first.type)
        if parameters.count == 2 {
            let label = parameters[1].firstName.text
            if label == "at", let property = Self.property(in: name, after: "insertInto") {
                self.init(isMany ? .insertMany : .insertOne, property)
            } else if label == "with", let property = Self.property(in: name, after: "replace") {
                self.init(isAtMany ? .replaceMany : .replaceOne, property)
            } else {
                return nil
            }
            return
        }
        guard parameters.count == 1 else { return nil }
        if let property = Self.property(in: name, after: "removeFrom") {
            let isAt = first.firstName.text == "at"
            self.init(
                isAt ? (isAtMany ? .removeAtMany : .removeAt) : (isMany ? .removeMany : .removeOne),
                property)
        } else if let property = Self.property(in: name, after: "addTo") {
            self.init(isMany ? .addMany : .addOne, property)
        } else {
            return nil
        }
    }

    private init(_ kind: Kind, _ property: String) {
        self.kind = kind
        self.property = property
    }

    /// The part of the name after the prefix; nil if it begins with a lower-case letter.
    private static func property(in name: String, after words: String) -> String? {
        guard name.hasPrefix(words) else { return nil }
        let rest = name.dropFirst(words.count)
        guard let first = rest.first, !first.isLowercase else { return nil }
        return String(rest)
    }

    static func isIndexes(_ type: TypeSyntax) -> Bool { type.plainName.hasSuffix("IndexSet") }

    private static func isCollection(_ type: TypeSyntax) -> Bool {
        if type.is(ArrayTypeSyntax.self) { return true }
        let name = type.plainName.split(separator: ".").last.map(String.init) ?? ""
        return [
            "NSSet", "NSOrderedSet", "NSArray", "NSMutableSet", "NSMutableOrderedSet",
            "NSMutableArray", "Set", "Array",
        ].contains(name)
    }
}

extension AccessorFunction {
    /// The call that implements the function; nil if the parameters do not fit the kind.
    ///
    /// - Parameter key: the expression for the property's key.
    func body(_ parameters: [FunctionParameterSyntax], key: String) -> String? {
        let names = parameters.map { parameter in
            let name = (parameter.secondName ?? parameter.firstName).text
            let isValue =
                Self.isIndexes(parameter.type)
                && !parameter.type.plainName.hasSuffix("NSIndexSet")
            return isValue ? "NSIndexSet(indexSet: \(name))" : name
        }
        switch (kind, names.count) {
        case (.addOne, 1): return "addMember(\(names[0]), \(key))"
        case (.addMany, 1): return "addMembers(\(names[0]), \(key))"
        case (.removeOne, 1): return "removeMember(\(names[0]), \(key))"
        case (.removeMany, 1): return "removeMembers(\(names[0]), \(key))"
        case (.insertOne, 2): return "insertMember(\(names[0]), at: \(names[1]), \(key))"
        case (.insertMany, 2): return "insertMembers(\(names[0]), at: \(names[1]), \(key))"
        case (.removeAt, 1): return "removeMember(at: \(names[0]), \(key))"
        case (.removeAtMany, 1): return "removeMembers(at: \(names[0]), \(key))"
        case (.replaceOne, 2): return "replaceMember(at: \(names[0]), with: \(names[1]), \(key))"
        case (.replaceMany, 2): return "replaceMembers(at: \(names[0]), with: \(names[1]), \(key))"
        case (.primitiveGetter, 0): return "managedPrimitiveValue(\(key))"
        case (.primitiveSetter, 1): return "setManagedPrimitiveValue(\(key), \(names[0]))"
        case (.addOne, _), (.addMany, _), (.removeOne, _), (.removeMany, _), (.insertOne, _),
            (.insertMany, _), (.removeAt, _), (.removeAtMany, _), (.replaceOne, _),
            (.replaceMany, _), (.primitiveGetter, _), (.primitiveSetter, _):
            return nil
        }
    }
}
