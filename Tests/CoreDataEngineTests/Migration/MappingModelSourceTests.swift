import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import TestSupport
import Testing

@testable import CoreDataEngine

/// Models and mapping models in the form of Xcode's editor.
@Suite struct MappingModelSourceTests {
    private let folder: GraphFolder

    init() throws { folder = try GraphFolder() }

    private typealias Entity = EditorModel.Entity
    private typealias Property = EditorModel.Property

    private static let people = [
        Entity(
            "Person", [],
            [
                .attribute("name", 700, [("XD_PPSK_isOptional", .boolean(true))]),
                .attribute("age", 200, [("XD_PAttK_defaultValueAsString", .string("3"))]),
                .relationship("pets", to: "Pet", inverse: "owner", max: 0, rule: 2),
            ]),
        Entity(
            "Pet", [("XD_PSK_isAbstract", .boolean(false))],
            [
                .attribute("name", 700),
                .relationship("owner", to: "Person", inverse: "pets", max: 1),
            ]),
        Entity(
            "Cat", parent: "Pet", [("XD_PSK_elementID", .string("Kitten"))],
            [.attribute("lives", 100)]),
    ]

    /// The second version, which has a title instead of the age.
    private static let titled = [
        Entity(
            "Person", [],
            [
                .attribute("name", 700, [("XD_PPSK_isOptional", .boolean(true))]),
                .attribute("title", 700, [("XD_PPSK_isOptional", .boolean(true))]),
                .relationship("pets", to: "Pet", inverse: "owner", max: 0, rule: 2),
            ]), people[1], people[2],
    ]

    @Test func `a model in the editor's archive is read as its XML would be`() throws {
        let model = folder.url.appendingPathComponent("Old.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try EditorModel.data(Self.people).write(to: model.appendingPathComponent("elements"))
        let read = try #require(NSManagedObjectModel(contentsOf: model))
        #expect(read.entities.compactMap(\.name).sorted() == ["Cat", "Person", "Pet"])
        #expect(read.versionIdentifiers == ["7"])
        let person = try #require(read.entitiesByName["Person"])
        #expect(person.attributesByName["age"]?.defaultValue as? Int == 3)
        #expect(person.attributesByName["age"]?.isOptional == false)
        let pets = try #require(person.relationshipsByName["pets"])
        #expect(pets.isToMany && pets.deleteRule == .cascadeDeleteRule)
        #expect(pets.inverseRelationship?.name == "owner")
        let cat = try #require(read.entitiesByName["Cat"])
        #expect(cat.superentity?.name == "Pet" && cat.renamingIdentifier == "Kitten")
        #expect(cat.managedObjectClassName == "Cat")
        // A folder that has a version but no file with the current version is also a valid model.
        let versions = folder.url.appendingPathComponent("Old.xcdatamodeld")
        try FileManager.default.createDirectory(at: versions, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: model, to: versions.appendingPathComponent("Old.xcdatamodel"))
        let empty = try PropertyListSerialization.data(
            fromPropertyList: [String: Any](), format: .xml, options: 0)
        try empty.write(to: versions.appendingPathComponent(".xccurrentversion"))
        #expect(NSManagedObjectModel(contentsOf: versions) == read)
    }

    @Test func `an archive of another kind is refused as a model, with instructions`() throws {
        var archive = KeyedArchive()
        let other = archive.add(["Other", "NSObject"], [])
        let file = folder.url.appendingPathComponent("elements")
        try archive.data(root: other).write(to: file)
        let error = #expect(throws: ModelError.self) {
            try NSManagedObjectModel.load(contentsOf: file)
        }
        #expect("\(error as Any)".contains("open it in Xcode and save it"))
    }

    // MARK: Mapping models

    private func attribute(_ name: String, _ type: String, _ value: String) -> String {
        "<attribute name=\"\(name)\" type=\"\(type)\">\(value)</attribute>"
    }

    private func property(_ kind: String, _ id: String, _ name: String, _ more: String = "")
        -> String
    {
        "<object type=\"XDDEV\(kind)MAPPING\" id=\"\(id)\">\(attribute("name", "string", name))"
            + "\(more)<relationship name=\"entitymapping\" idrefs=\"z1\"></relationship></object>"
    }

    private func mapping(
        _ id: String, _ number: Int, _ entity: String, _ attributes: String,
        _ relationships: String, _ more: String = ""
    ) -> String {
        "<object type=\"XDDEVENTITYMAPPING\" id=\"\(id)\">"
            + attribute("sourcename", "string", entity)
            + attribute("mappingtypename", "string", "Undefined")
            + attribute("mappingnumber", "int16", "\(number)")
            + attribute("destinationname", "string", entity) + more
            + "<relationship name=\"attributemappings\" idrefs=\"\(attributes)\"></relationship>"
            + "<relationship name=\"relationshipmappings\" idrefs=\"\(relationships)\"/></object>"
    }

    /// The title of a person is derived from the name.
    private func writeMapping(_ change: (String) -> String = { $0 }) throws -> URL {
        let url = folder.url.appendingPathComponent("People.xcmappingmodel")
        try? FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var archive = KeyedArchive()
        let expression = NSExpression(
            node: .path(NSExpression(forVariable: "source"), ["name"]))
        let written = archive.expression(expression)
        let root = try #require(written)
        let title = archive.data(root: root).base64EncodedString()
        let models = [("source", Self.people), ("destination", Self.titled)].map { role, entities in
            attribute(
                "\(role)modeldata", "binary", EditorModel.data(entities).base64EncodedString())
        }
        let text =
            "<?xml version=\"1.0\"?><!DOCTYPE database SYSTEM \"file:///x.dtd\"><database>"
            + "<databaseInfo><version>1</version></databaseInfo>"
            + "<object type=\"XDDEVMAPPINGMODEL\" id=\"z0\">\(models.joined())"
            + "<relationship name=\"entitymappings\" idrefs=\"z1 z2 z3\"></relationship></object>"
            + mapping("z2", 2, "Pet", "z12", "z22") + mapping("z1", 1, "Person", "z10 z11", "z20")
            + mapping("z3", 3, "Cat", "z13 z14", "z23")
            + property("ATTRIBUTE", "z10", "name")
            + property(
                "ATTRIBUTE", "z11", "title", attribute("valueexpressiondata", "binary", title))
            + property("ATTRIBUTE", "z12", "name") + property("ATTRIBUTE", "z13", "name")
            + property("ATTRIBUTE", "z14", "lives") + property("RELATIONSHIP", "z20", "pets")
            + property("RELATIONSHIP", "z22", "owner") + property("RELATIONSHIP", "z23", "owner")
            + "</database>"
        try change(text).write(
            to: url.appendingPathComponent("xcmapping.xml"), atomically: true, encoding: .utf8)
        return url
    }

    @Test func `defaults that the editor shows without saving them are filled in`() throws {
        let model = try #require(NSMappingModel(contentsOf: try writeMapping()))
        let mappings = try #require(model.entityMappings)
        #expect(mappings.map(\.name) == ["PersonToPerson", "PetToPet", "CatToCat"])
        #expect(
            mappings.map(\.mappingType)
                == [
                    .transformEntityMappingType, .copyEntityMappingType, .copyEntityMappingType,
                ])
        let person = mappings[0]
        #expect(
            person.attributeMappings?.map { "\($0.name ?? "") = \($0.valueExpression as Any)" }
                == [
                    "name = Optional($source.name)", "title = Optional($source.name)",
                ])
        let pets = try #require(person.relationshipMappings?.first?.valueExpression)
        // `Cat` inherits from `Pet` and has a separate mapping, so pets have two mappings.
        #expect("\(pets)".contains("destinationInstancesForSourceRelationshipNamed"))
        let owner = try #require(mappings[1].relationshipMappings?.first?.valueExpression)
        #expect(
            "\(owner)".contains("destinationInstancesForEntityMappingNamed:sourceInstances:")
                && "\(owner)".contains("PersonToPerson"))
        #expect("\(person.sourceExpression as Any)".contains("fetchRequestForSourceEntityNamed"))
        // Compiling and reading does not change the mapping model.
        let file = folder.url.appendingPathComponent("People.cdm")
        try model.compiledData().write(to: file)
        #expect(NSMappingModel(contentsOf: file) == model)
    }

    @Test func `a store is migrated by the mapping model of the editor`() throws {
        let models = try [Self.people, Self.titled].map { entities in
            try NSManagedObjectModel.parse(EditorModel.data(entities), path: "elements")
        }
        for model in models { for entity in model.entities { entity.managedObjectClassName = nil } }
        let container = NSPersistentStoreCoordinator(managedObjectModel: models[0])
        let old = folder.url.appendingPathComponent("old.sqlite")
        let store = try container.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: old)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = container
        try context.on {
            let ann = context.make("Person", ["name": "Ann"])
            context.make("Cat", ["name": "Tom", "lives": 9, "owner": ann])
            try context.save()
        }
        try container.remove(store)
        let new = folder.url.appendingPathComponent("new.sqlite")
        let manager = NSMigrationManager(
            sourceModel: models[0], destinationModel: models[1])
        try manager.migrateStore(
            from: old, sourceType: NSSQLiteStoreType,
            with: NSMappingModel(contentsOf: try writeMapping()),
            toDestinationURL: new, destinationType: NSSQLiteStoreType)
        let migrated = NSPersistentStoreCoordinator(managedObjectModel: models[1])
        try migrated.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: new)
        let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.persistentStoreCoordinator = migrated
        try reader.on {
            let person = try #require(try reader.all("Person").first)
            #expect(person.text("title") == "Ann" && person.names("pets") == ["Tom"])
            let cat = try #require(try reader.all("Cat").first)
            #expect(cat.value(forKey: "lives") as? Int == 9)
        }
    }

    @Test(arguments: [
        ("idrefs=\"z1 z2 z3\"></relationship></object>", "idrefs=\"z1\">", "not well-formed"),
        ("destinationmodeldata", "nothing", "no destination model"),
        (">Pet<", ">Dog<", "no entity 'Dog'"),
        ("XDDEVMAPPINGMODEL", "XDDEVOTHER", "it contains no mapping model"),
    ])
    func `a mapping model with a mistake is refused with its description`(
        text: String, other: String, problem: String
    ) throws {
        let url = try writeMapping { $0.replacingOccurrences(of: text, with: other) }
        #expect(NSMappingModel(contentsOf: url) == nil)
        let error = #expect(throws: CoreDataError.self) { _ = try MappingModelSource.read(url) }
        #expect(error?.message.contains(problem) == true)
    }

    /// Progressive migrations search for a mapping model for every pair of versions.
    @Test func `a compiled mapping model is found only for its own versions`() throws {
        let people = [Self.people, Self.titled].map { EditorModel.data($0) }
        let models = try people.map { try NSManagedObjectModel.parse($0, path: "elements") }
        let third = models[1].copy() as? NSManagedObjectModel
        let newest = try #require(third)
        newest.entitiesByName["Person"]?.properties.append(GraphModels.text("nick"))
        let bundleFolder = folder.url.appendingPathComponent("App.bundle")
        try FileManager.default.createDirectory(
            at: bundleFolder, withIntermediateDirectories: true)
        let model = try #require(NSMappingModel(contentsOf: try writeMapping()))
        try model.compiledData().write(to: bundleFolder.appendingPathComponent("People.cdm"))
        let bundle = try #require(Bundle(path: bundleFolder.path))
        func found(_ source: NSManagedObjectModel, _ target: NSManagedObjectModel) -> Bool {
            NSMappingModel(from: [bundle], forSourceModel: source, destinationModel: target) != nil
        }
        #expect(found(models[0], models[1]))
        #expect(!found(newest, models[1]))
        #expect(!found(models[1], models[1]))
        // A `.cdm` file of the package plugin is found as well.
        let source = try writeMapping().appendingPathComponent("xcmapping.xml")
        try Data(contentsOf: source).write(to: bundleFolder.appendingPathComponent("People.cdm"))
        #expect(found(models[0], models[1]) && !found(newest, models[1]))
    }

    // MARK: Real ones

    private static let real: [URL] = {
        guard let models = RealStores.folder?.appendingPathComponent("models") else { return [] }
        let files = FileManager.default.enumerator(at: models, includingPropertiesForKeys: nil)
        return (files?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { $0.pathExtension == "xcmappingmodel" }.sorted { $0.path < $1.path }
    }()

    @Test(.enabled(if: !real.isEmpty, RealStores.areMissing), arguments: real)
    func `a real mapping model is read, compiled and read again`(url: URL) throws {
        let model = NSMappingModel()
        model.entityMappings = try MappingModelSource.read(url)
        #expect(!model.entityMappings.isEmpty)
        for mapping in model.entityMappings where mapping.sourceEntityName != nil {
            let mapped = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
            #expect(mapped.contains { $0.valueExpression != nil })
        }
        let file = folder.url.appendingPathComponent("\(UUID().uuidString).cdm")
        try model.compiledData().write(to: file)
        #expect(NSMappingModel(contentsOf: file) == model)
    }

    /// The contents of mappings without version hashes. A compiled mapping contains Apple's hashes.
    private func lines(_ mappings: [NSEntityMapping]) -> [String] {
        var lines: [String] = []
        for mapping in mappings {
            // The models have changed since Xcode compiled the mapping model. A copy mapping is
            // therefore listed as a transformation.
            let isCopy = mapping.mappingType == .copyEntityMappingType
            let type = isCopy ? .transformEntityMappingType : mapping.mappingType
            let parts: [String?] = [
                mapping.name, "\(type)", mapping.sourceEntityName,
                mapping.destinationEntityName, mapping.entityMigrationPolicyClassName,
                mapping.sourceExpression.map { "\($0)" },
            ]
            lines.append(parts.map { $0 ?? "-" }.joined(separator: ", "))
            let properties =
                (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
            lines += properties.map { (property: NSPropertyMapping) -> String in
                let value = property.valueExpression.map { "\($0)" } ?? "nothing"
                return "  \(property.name ?? "") = \(value)"
            }.sorted()
        }
        return lines
    }

    /// Xcode has compiled these mapping models.
    @Test(.enabled(if: !real.isEmpty, RealStores.areMissing))
    func `a mapping model is compiled as Xcode compiles it`() throws {
        var compared = 0
        for url in Self.real {
            let compiled = url.deletingPathExtension().appendingPathExtension("cdm")
            guard FileManager.default.fileExists(atPath: compiled.path) else { continue }
            compared += 1
            let own = lines(try MappingModelSource.read(url))
            let theirs = lines(try MappingModelFile.read(compiled))
            #expect(own == theirs)
        }
        #expect(compared > 0)
    }
}
