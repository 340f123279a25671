import CoreDataModel
import Foundation

/// A model as Xcode's editor archives it, written by hand.
package struct EditorModel {
    private var archive = KeyedArchive()

    package struct Property {
        package let name: String
        let isRelationship: Bool
        let settings: [(String, ArchiveValue)]
        /// The settings that refer to an entity or a property: pairs of a key and a value of the
        /// form `Entity` or `Entity.name`.
        let links: [(String, String)]

        package static func attribute(
            _ name: String, _ type: Int, _ settings: [(String, ArchiveValue)] = []
        ) -> Property {
            Property(
                name: name, isRelationship: false,
                settings: [("XD_PAttK_attributeType", .integer(Int64(type)))] + settings, links: [])
        }

        package static func relationship(
            _ name: String, to entity: String, inverse: String?, max: Int, rule: Int = 1
        ) -> Property {
            Property(
                name: name, isRelationship: true,
                settings: [
                    ("XD_PRK_maxCount", .integer(Int64(max))),
                    ("XD_PRK_isToMany", .boolean(max != 1)),
                    ("XD_PRK_deleteRule", .integer(Int64(rule))),
                    ("XD_PPSK_isOptional", .boolean(true)),
                ],
                links: [("XD_PRK_destination", entity)]
                    + (inverse.map { [("XD_PRK_inverseRelationship", "\(entity).\($0)")] } ?? []))
        }
    }

    package struct Entity {
        let name: String
        let parent: String?
        let settings: [(String, ArchiveValue)]
        let properties: [Property]

        package init(
            _ name: String, parent: String? = nil, _ settings: [(String, ArchiveValue)] = [],
            _ properties: [Property]
        ) {
            self.name = name
            self.parent = parent
            self.settings = settings
            self.properties = properties
        }
    }

    package static func data(_ entities: [Entity]) -> Data {
        var writer = EditorModel()
        return writer.write(entities)
    }

    private mutating func write(_ entities: [Entity]) -> Data {
        var places: [String: Int] = [:]
        for entity in entities {
            places[entity.name] = archive.reserve()
            for property in entity.properties {
                places["\(entity.name).\(property.name)"] = archive.reserve()
            }
        }
        for entity in entities { write(entity, places) }
        let classes = dictionary(entities.map { ($0.name, reference(places[$0.name])) })
        let package = archive.add(
            ["XDModelPackage", "NSObject"], [("XDBucketForClassesstorage", classes)])
        let root = archive.add(
            ["XDPMModel", "NSObject"],
            [
                ("_xd_rootPackage", package), ("_modelVersionIdentifier", archive.string("7")),
                ("_configurationsByName", dictionary([])),
            ])
        return archive.data(root: root)
    }

    private func reference(_ place: Int?) -> ArchiveValue {
        place.map { .reference($0) } ?? KeyedArchive.null
    }

    private mutating func write(_ entity: Entity, _ places: [String: Int]) {
        for property in entity.properties {
            let links = property.links.map { ($0.0, reference(places[$0.1])) }
            archive.set(
                places["\(entity.name).\(property.name)"] ?? 0,
                [property.isRelationship ? "XDPMRelationship" : "XDPMAttribute", "NSObject"],
                [
                    ("_name", archive.string(property.name)),
                    ("XDBucketForStereotypesstorage", stereotypes(property.settings + links)),
                ])
        }
        let properties = entity.properties.map { property in
            (property.name, reference(places["\(entity.name).\(property.name)"]))
        }
        var parents: [ArchiveValue] = []
        if let parent = entity.parent {
            parents.append(
                archive.add(
                    ["XDUMLGeneralizationImp", "NSObject"],
                    [("_general", reference(places[parent]))]))
        }
        let settings = [("XD_PSK_entityClassName", archive.string(entity.name))] + entity.settings
        archive.set(
            places[entity.name] ?? 0, ["XDPMEntity", "NSObject"],
            [
                ("_name", archive.string(entity.name)),
                ("XDBucketForOwnedAttributesstorage", dictionary(properties)),
                ("XDBucketForGeneralizationsstorage", archive.array(parents)),
                ("XDBucketForStereotypesstorage", stereotypes(settings)),
            ])
    }

    private mutating func stereotypes(_ settings: [(String, ArchiveValue)]) -> ArchiveValue {
        let values = settings.map { name, value in
            let property = archive.add(["XDUMLPropertyImp", "NSObject"], [("_default", value)])
            return (name, property)
        }
        let group = archive.add(
            ["XDUMLStereotypeImp", "NSObject"],
            [("XDBucketForOwnedAttributesstorage", dictionary(values))])
        return dictionary([("XD_PStereotype", group)])
    }

    private mutating func dictionary(_ pairs: [(String, ArchiveValue)]) -> ArchiveValue {
        let keys = pairs.map { archive.string($0.0) }
        return archive.add(
            ["NSMutableDictionary", "NSDictionary", "NSObject"],
            [("NS.keys", .array(keys)), ("NS.objects", .array(pairs.map(\.1)))])
    }
}
