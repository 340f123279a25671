import CoreDataModel

/// Writes the classes of a model's entities in Swift, with the declarations that Xcode generates.
///
/// The accessors are the engine's own, so that no rewriting is needed: each has a key that
/// remembers its slot.
package struct ClassGenerator {
    /// Who gets what.
    package enum Part {
        /// As the model says for each entity: class and properties, properties alone, or nothing.
        case asModelled
        /// The class of one entity, for a file that the program's author goes on with.
        case classAlone
        /// The properties of one entity.
        case propertiesAlone
    }

    private let model: NSManagedObjectModel
    private let name: String

    /// - Parameter name: what the first line calls the model.
    package init(_ model: NSManagedObjectModel, named name: String) {
        self.model = model
        self.name = name
    }

    /// The entities that have a class of their own, by name.
    package var entities: [NSEntityDescription] {
        model.entities.filter { className(of: $0) != "NSManagedObject" }
            .sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    /// The class of an entity as Swift writes it.
    package func className(of entity: NSEntityDescription) -> String {
        SwiftTypes.plain(entity.managedObjectClassName ?? "NSManagedObject")
    }

    /// One file with everything that Xcode would generate for the model.
    package func source() -> String {
        var text = "// Generated from \(name). Do not edit: the next build writes it anew.\n\n"
        text += "import CoreData\nimport Foundation\n"
        for entity in entities where entity.generation != .none {
            if entity.generation == .definition { text += "\n" + declaration(of: entity) }
            text += "\n" + properties(of: entity)
        }
        return text
    }

    /// One file for one entity.
    package func source(of entity: NSEntityDescription, _ part: Part) -> String {
        let imports = "import CoreData\nimport Foundation\n\n"
        switch part {
        case .classAlone: return imports + declaration(of: entity)
        case .propertiesAlone:
            return "// Generated from \(name). Do not edit: it is written anew.\n\n" + imports
                + properties(of: entity)
        case .asModelled:
            return imports + declaration(of: entity) + "\n" + properties(of: entity)
        }
    }

    // MARK: Declarations

    private func declaration(of entity: NSEntityDescription) -> String {
        let parent = entity.superentity.map(className) ?? "NSManagedObject"
        let (name, isOpen) = (className(of: entity), !entity.subentities.isEmpty)
        return "\(isOpen ? "open" : "public") class \(Self.quoted(name)): \(parent) {}\n"
    }

    private func properties(of entity: NSEntityDescription) -> String {
        let name = className(of: entity)
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
            "extension \(Self.quoted(name)) {\n" + request(name, entity) + "\n"
            + lines.joined(separator: "\n") + "}\n"
        for case let relationship as NSRelationshipDescription in own where relationship.isToMany {
            text += "\n" + members(of: relationship, name)
        }
        if !keys.isEmpty {
            text += "\nprivate enum \(name)Keys {\n\(keys.joined(separator: "\n"))\n}\n"
        }
        if entity.superentity == nil {
            text += "\nextension \(Self.quoted(name)): Identifiable {}\n"
        }
        return text
    }

    private func request(_ name: String, _ entity: NSEntityDescription) -> String {
        """
            /// A request for all objects of the entity.
            public class func fetchRequest() -> NSFetchRequest<\(Self.quoted(name))> {
                NSFetchRequest<\(Self.quoted(name))>(entityName: "\(entity.name ?? "")")
            }

        """
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
        let getter = "        get { managedValue(\(key)) }\n"
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
        return "extension \(Self.quoted(owner)) {\n\(lines.joined(separator: "\n"))}\n"
    }

    /// Words of Swift's that a property may have as its name.
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
