import CoreDataTrace
import Foundation

/// Converts a model in the archive format of Xcode's editor to the tree of a `contents` file.
///
/// Before the editor wrote XML, it stored models in this format, in a file `elements`. Mapping
/// models still contain both of their models in it. Settings that the archive does not contain are
/// omitted.
struct EditorArchive {
    private let archive: KeyedUnarchive
    private let path: String
    /// The entity and the name of each property, by its position in the archive. Used to find
    /// inverses.
    private var owners: [Int: (entity: String, name: String)] = [:]

    /// The root of the tree.
    ///
    /// - Throws: an error if the bytes are not such an archive.
    static func tree(_ data: Data, path: String) throws(ModelError) -> XMLElement {
        guard let archive = KeyedUnarchive(data), archive.className(archive.root) == "XDPMModel"
        else {
            let place = ModelError.Location(path: path)
            throw ModelError(
                ModelError.Finding(
                    .notAModel,
                    "the file is not a model of Xcode's editor; open it in Xcode and save it, which"
                        + " writes a contents file.", at: place))
        }
        var reader = EditorArchive(archive: archive, path: path)
        return reader.model()
    }

    private init(archive: KeyedUnarchive, path: String) {
        self.archive = archive
        self.path = path
    }

    private mutating func model() -> XMLElement {
        let root = archive.fields(archive.root)
        let package = archive.place(root["_xd_rootPackage"]).map(archive.fields) ?? [:]
        let entities = archive.entries(package["XDBucketForClassesstorage"])
            .filter { archive.className($0.place) == "XDPMEntity" }
            .sorted { $0.key < $1.key }
        for entity in entities {
            for property in properties(of: entity.place) {
                owners[property.place] = (entity.key, property.key)
            }
        }
        let identifier = archive.string(root["_modelVersionIdentifier"])
        let tree = Self.element("model", ["userDefinedModelVersionIdentifier": identifier])
        for entity in entities { tree.append(self.entity(entity.key, entity.place)) }
        for (name, place) in archive.entries(root["_configurationsByName"]) {
            let configuration = Self.element("configuration", ["name": name])
            for member in archive.members(.reference(place)) {
                let member = archive.string(archive.fields(member)["_name"])
                configuration.append(Self.element("memberEntity", ["name": member]))
            }
            tree.append(configuration)
        }
        return tree
    }

    private func properties(of entity: Int) -> [(key: String, place: Int)] {
        archive.entries(archive.fields(entity)["XDBucketForOwnedAttributesstorage"])
            .sorted { $0.key < $1.key }
    }

    // MARK: Entities

    private func entity(_ name: String, _ place: Int) -> XMLElement {
        let settings = Settings(of: place, archive)
        let parent = archive.members(archive.fields(place)["XDBucketForGeneralizationsstorage"])
            .compactMap { archive.place(archive.fields($0)["_general"]) }.first
        let entity = Self.element(
            "entity",
            [
                "name": name, "representedClassName": settings.text("XD_PSK_entityClassName"),
                "isAbstract": settings.flag("XD_PSK_isAbstract") ? "YES" : nil,
                "parentEntity": parent.flatMap { archive.string(archive.fields($0)["_name"]) },
                "elementID": settings.text("XD_PSK_elementID"),
                "versionHashModifier": settings.text("XD_PSK_versionHashModifier"),
            ])
        for property in properties(of: place) {
            switch archive.className(property.place) {
            case "XDPMAttribute": entity.append(attribute(property.key, property.place))
            case "XDPMRelationship": entity.append(relationship(property.key, property.place))
            case let other:
                EngineLog.error(
                    "\(path): the property '\(property.key)' of '\(name)' is left out: the"
                        + " class \(other ?? "of the property") is unknown")
            }
        }
        add(
            settings.lists("XDPMUniquenessConstraints"), ["uniquenessConstraint", "constraint"],
            entity)
        add(settings.lists("XDPMCompoundIndexes"), ["compoundIndex", "index"], entity)
        add(settings, "XD_PSK_userInfo", to: entity)
        if !settings.members("XD_PSK_fetchRequestsArray").isEmpty {
            EngineLog.error("\(path): the fetch request templates of '\(name)' are left out")
        }
        return entity
    }

    private func add(_ lists: [[String]], _ names: [String], _ entity: XMLElement) {
        guard !lists.isEmpty else { return }
        let plural = names[0] == "compoundIndex" ? "compoundIndexes" : names[0] + "s"
        let all = Self.element(plural, [:])
        for list in lists {
            let element = Self.element(names[0], [:])
            for member in list { element.append(Self.element(names[1], ["value": member])) }
            all.append(element)
        }
        entity.append(all)
    }

    private func add(_ settings: Settings, _ key: String, to element: XMLElement) {
        let entries = settings.entries(key)
        guard !entries.isEmpty else { return }
        let info = Self.element("userInfo", [:])
        for (key, value) in entries {
            info.append(Self.element("entry", ["key": key, "value": value]))
        }
        element.append(info)
    }

    // MARK: Properties

    private func attribute(_ name: String, _ place: Int) -> XMLElement {
        let settings = Settings(of: place, archive)
        let number = settings.number("XD_PAttK_attributeType").flatMap { UInt(exactly: $0) }
        let type = number.flatMap { NSAttributeType(rawValue: $0) } ?? .undefinedAttributeType
        var attributes = common(name, settings)
        attributes["attributeType"] = type.modelFileName
        attributes["defaultValueString"] = settings.text("XD_PAttK_defaultValueAsString")
        attributes["minValueString"] = settings.text("XD_PAttK_minValueString")
        attributes["maxValueString"] = settings.text("XD_PAttK_maxValueString")
        attributes["regularExpressionString"] = settings.text("XD_PAttK_regularExpressionString")
        attributes["valueTransformerName"] = settings.text("XD_PAttK_valueTransformerName")
        attributes["allowsExternalBinaryDataStorage"] =
            settings.flag("XD_PAttK_allowsExternalBinaryDataStorage") ? "YES" : nil
        attributes["indexed"] = settings.flag("XD_PPSK_isIndexed") ? "YES" : nil
        let element = Self.element("attribute", attributes)
        add(settings, "XD_PPSK_userInfo", to: element)
        return element
    }

    private func relationship(_ name: String, _ place: Int) -> XMLElement {
        let settings = Settings(of: place, archive)
        let inverse = settings.place("XD_PRK_inverseRelationship").flatMap { owners[$0] }
        let destination = settings.place("XD_PRK_destination")
        var attributes = common(name, settings)
        attributes["destinationEntity"] = destination.flatMap {
            archive.string(archive.fields($0)["_name"])
        }
        attributes["inverseName"] = inverse?.name
        attributes["inverseEntity"] = inverse?.entity
        attributes["toMany"] = settings.flag("XD_PRK_isToMany") ? "YES" : nil
        attributes["ordered"] = settings.flag("XD_PRK_ordered") ? "YES" : nil
        attributes["minCount"] = settings.number("XD_PRK_minCount").map { "\($0)" }
        attributes["maxCount"] = settings.number("XD_PRK_maxCount").map { "\($0)" }
        let rules = ["No Action", "Nullify", "Cascade", "Deny"]
        let rule = settings.number("XD_PRK_deleteRule") ?? 0
        attributes["deletionRule"] = rules.indices.contains(rule) ? rules[rule] : "\(rule)"
        let element = Self.element("relationship", attributes)
        add(settings, "XD_PPSK_userInfo", to: element)
        return element
    }

    private func common(_ name: String, _ settings: Settings) -> [String: String?] {
        [
            "name": name, "elementID": settings.text("XD_PPSK_elementID"),
            "optional": settings.flag("XD_PPSK_isOptional") ? "YES" : nil,
            "transient": settings.flag("XD_PPSK_isTransient") ? "YES" : nil,
            "versionHashModifier": settings.text("XD_PPSK_versionHashModifier"),
        ]
    }

    private static func element(_ name: String, _ attributes: [String: String?]) -> XMLElement {
        // The archive has no line numbers, so messages refer to the first line.
        let place = XMLTag(start: XMLTag.Position(line: 1, column: 1))
        return XMLElement(name: name, attributes: attributes.compactMapValues { $0 }, place: place)
    }
}

/// The editor's settings of one entity or property, by the editor's names.
private struct Settings {
    private let archive: KeyedUnarchive
    private var values: [String: ArchiveValue] = [:]

    init(of place: Int, _ archive: KeyedUnarchive) {
        self.archive = archive
        let groups = archive.entries(archive.fields(place)["XDBucketForStereotypesstorage"])
        for group in groups {
            let fields = archive.fields(group.place)
            for setting in archive.entries(fields["XDBucketForOwnedAttributesstorage"]) {
                values[setting.key] = archive.fields(setting.place)["_default"]
            }
        }
    }

    func place(_ key: String) -> Int? { archive.place(values[key]) }

    func text(_ key: String) -> String? {
        archive.string(values[key]).flatMap { $0.isEmpty ? nil : $0 }
    }

    func flag(_ key: String) -> Bool { archive.flag(values[key]) }

    func number(_ key: String) -> Int? { archive.integer(values[key]) }

    func members(_ key: String) -> [Int] { archive.members(values[key]) }

    func lists(_ key: String) -> [[String]] {
        members(key).map { list in
            archive.members(.reference(list)).compactMap { archive.string(.reference($0)) }
        }
    }

    func entries(_ key: String) -> [(key: String, value: String)] {
        archive.entries(values[key]).map { ($0.key, archive.string(.reference($0.place)) ?? "") }
            .sorted { $0.0 < $1.0 }
    }
}
