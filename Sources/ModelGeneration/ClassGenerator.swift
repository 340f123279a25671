import CoreDataModel

/// Generates Swift classes for a model's entities, with the declarations that Xcode generates.
///
/// The accessors call the engine directly, so the plugin `CoreDataSources` need not rewrite them.
/// Each accessor has a key, which caches the slot of its property.
package struct ClassGenerator {
    /// The declarations that a generated file contains.
    package enum Part {
        /// For each entity, the declarations that the model's code generation setting requests:
        /// class and properties, only properties, or nothing.
        case asModelled
        case classOnly
        case propertiesOnly
        /// A superclass with the properties of one entity, such as `_Book`, as mogenerator
        /// generates it.
        case machineClass
        /// The entity's class without properties, in a file that the programmer edits. Its
        /// superclass declares the properties.
        case humanClass
    }

    private let model: NSManagedObjectModel
    private let name: String

    /// - Parameter name: the model's name, for the comment in the first line.
    package init(_ model: NSManagedObjectModel, named name: String) {
        self.model = model
        self.name = name
    }

    /// The entities with a custom class, sorted by name.
    package var entities: [NSEntityDescription] {
        model.entities.filter { className(of: $0) != "NSManagedObject" }
            .sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    package func className(of entity: NSEntityDescription) -> String {
        SwiftTypes.plain(entity.managedObjectClassName ?? "NSManagedObject")
    }

    package func source() -> String {
        var text = "// Generated from \(name). Do not edit: the next build overwrites it.\n\n"
        text += "import CoreData\nimport Foundation\n"
        for entity in entities where entity.generation != .none {
            if entity.generation == .definition { text += "\n" + declaration(of: entity) }
            text += "\n" + properties(of: entity)
        }
        return text
    }

    package func source(of entity: NSEntityDescription, _ part: Part) -> String {
        let imports = "import CoreData\nimport Foundation\n\n"
        switch part {
        case .classOnly: return imports + declaration(of: entity)
        case .propertiesOnly:
            return "// Generated from \(name). Do not edit: it will be overwritten.\n\n" + imports
                + properties(of: entity)
        case .machineClass:
            let machine = "_" + className(of: entity)
            return "// Generated from \(name). Do not edit: it will be overwritten.\n\n" + imports
                + "nonisolated open class \(machine): \(superclass(of: entity)) {}\n\n"
                + properties(of: entity, in: machine)
        case .humanClass:
            let human = className(of: entity)
            return imports + "nonisolated open class \(Self.quoted(human)): _\(human) {}\n"
        case .asModelled:
            return imports + declaration(of: entity) + "\n" + properties(of: entity)
        }
    }

    // MARK: Declarations

    private func declaration(of entity: NSEntityDescription) -> String {
        let name = className(of: entity)
        let access = entity.subentities.isEmpty ? "public" : "open"
        // Xcode writes `@objc(Name)` for the same purpose.
        return """
            nonisolated \(access) class \(Self.quoted(name)): \(superclass(of: entity)) {
                \(access) override class var objectiveCName: String {
                    self == \(Self.quoted(name)).self ? "\(name)" : super.objectiveCName
                }
            }

            """
    }

    private func superclass(of entity: NSEntityDescription) -> String {
        entity.superentity.map(className) ?? "NSManagedObject"
    }

    /// - Parameter owner: the class that declares the properties; nil for the entity's class.
    private func properties(of entity: NSEntityDescription, in owner: String? = nil) -> String {
        let name = owner ?? className(of: entity)
        let own = entity.properties.filter { property in
            entity.superentity?.propertiesByName[property.name] == nil
        }.sorted { $0.name < $1.name }
        var keys: [String] = []
        var lines: [String] = []
        for property in own {
            keys.append(
                "    static let \(Self.quoted(property.name)) = ManagedKey(\"\(property.name)\")")
            lines.append(variable(property, name))
        }
        var text =
            "nonisolated extension \(Self.quoted(name)) {\n" + request(entity)
            + templates(of: entity) + "\n" + lines.joined(separator: "\n") + "}\n"
        for case let relationship as NSRelationshipDescription in own where relationship.isToMany {
            text += "\n" + members(of: relationship, name)
        }
        if !keys.isEmpty {
            text += "\nnonisolated private enum \(name)Keys {\n\(keys.joined(separator: "\n"))\n}\n"
        }
        if entity.superentity == nil {
            text += "\nnonisolated extension \(Self.quoted(name)): Identifiable {}\n"
        }
        return text
    }

    private func request(_ entity: NSEntityDescription) -> String {
        let name = Self.quoted(className(of: entity))
        return """
                /// A request for all objects of the entity.
                public class func fetchRequest() -> NSFetchRequest<\(name)> {
                    NSFetchRequest<\(name)>(entityName: "\(entity.name ?? "")")
                }

            """
    }

    private func templates(of entity: NSEntityDescription) -> String {
        let result = Self.quoted(className(of: entity))
        let own = model.fetchRequestSources.filter { $0.value.entityName == entity.name }
        return own.sorted { $0.key < $1.key }.map { name, source in
            let variables = Self.variables(in: source.predicateFormat ?? "")
            let parameters = variables.map { "\(Self.quoted($0)): Any" }.joined(separator: ", ")
            let values = variables.map { "\"\($0)\": \(Self.quoted($0))" }
            let dictionary = values.isEmpty ? ":" : values.joined(separator: ", ")
            return """

                    /// The model's fetch request "\(name)"; nil if the model has none.
                    public class func \(Self.identifier(name))FetchRequest(\(parameters))
                        -> NSFetchRequest<\(result)>?
                    {
                        entity().managedObjectModel.fetchRequestFromTemplate(
                            withName: "\(name)",
                            substitutionVariables: [\(dictionary)]
                        )?.withResults(of: \(result).self)
                    }

                """
        }.joined()
    }

    /// The variables of a predicate, in order of first use. Does not list variables that the engine
    /// substitutes, or words with a dollar sign inside a string literal.
    private static func variables(in format: String) -> [String] {
        var found: [String] = []
        var quote: Character?
        var rest = Substring(format)
        while let character = rest.popFirst() {
            if character == "\\" {
                _ = rest.popFirst()
            } else if quote != nil {
                if character == quote { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "$" {
                let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
                let isOwn = name.isEmpty || name.hasPrefix("FETCH")
                if !isOwn, !found.contains(name) { found.append(name) }
            }
        }
        return found
    }

    /// Converts a template's name, which may contain spaces, to the first part of a function's
    /// name.
    private static func identifier(_ name: String) -> String {
        let words = name.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        let first = words.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? "unnamed"
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let joined = ([first] + rest).joined()
        return joined.first?.isNumber == true ? "_" + joined : joined
    }

    private func variable(_ property: NSPropertyDescription, _ owner: String) -> String {
        let type: String
        switch property {
        case let attribute as NSAttributeDescription: type = SwiftTypes.type(of: attribute)
        case let relationship as NSRelationshipDescription: type = self.type(of: relationship)
        case is NSFetchedPropertyDescription: type = "[NSManagedObject]?"
        default: type = "Any?"
        }
        let key = "\(owner)Keys.\(Self.quoted(property.name))"
        let isRead = property is NSFetchedPropertyDescription
        let getter = "        @inline(__always) get { managedValue(\(key)) }\n"
        let setter = isRead ? "" : "        set { setManagedValue(\(key), newValue) }\n"
        return "    public var \(Self.quoted(property.name)): \(type) {\n\(getter)\(setter)    }\n"
    }

    private func type(of relationship: NSRelationshipDescription) -> String {
        if relationship.isToMany { return relationship.isOrdered ? "NSOrderedSet?" : "NSSet?" }
        return (relationship.destinationEntity.map(className) ?? "NSManagedObject") + "?"
    }

    // MARK: Accessor functions

    private func members(of relationship: NSRelationshipDescription, _ owner: String) -> String {
        let name = relationship.name.prefix(1).uppercased() + relationship.name.dropFirst()
        let member = relationship.destinationEntity.map(className) ?? "NSManagedObject"
        let key = "\(owner)Keys.\(Self.quoted(relationship.name))"
        let list = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
        var functions = [
            ("addTo\(name)(_ value: \(member))", "addMember(value, \(key))"),
            ("removeFrom\(name)(_ value: \(member))", "removeMember(value, \(key))"),
            ("addTo\(name)(_ values: \(list))", "addMembers(values, \(key))"),
            ("removeFrom\(name)(_ values: \(list))", "removeMembers(values, \(key))"),
        ]
        if relationship.isOrdered {
            functions += [
                (
                    "insertInto\(name)(_ value: \(member), at idx: Int)",
                    "insertMember(value, at: idx, \(key))"
                ),
                ("removeFrom\(name)(at idx: Int)", "removeMember(at: idx, \(key))"),
                (
                    "insertInto\(name)(_ values: [\(member)], at indexes: NSIndexSet)",
                    "insertMembers(values, at: indexes, \(key))"
                ),
                ("removeFrom\(name)(at indexes: NSIndexSet)", "removeMembers(at: indexes, \(key))"),
                (
                    "replace\(name)(at idx: Int, with value: \(member))",
                    "replaceMember(at: idx, with: value, \(key))"
                ),
                (
                    "replace\(name)(at indexes: NSIndexSet, with values: [\(member)])",
                    "replaceMembers(at: indexes, with: values, \(key))"
                ),
            ]
        }
        let lines = functions.map { "    public func \($0.0) { \($0.1) }\n" }
        return "nonisolated extension \(Self.quoted(owner)) {\n\(lines.joined(separator: "\n"))}\n"
    }

    private static let keywords: Set = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
        "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws",
        "true", "try", "typealias", "var", "where", "while",
    ]

    private static func quoted(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }
}
