import Foundation
import Testing

@testable import CoreDataModel

struct CompiledModelTests {
    /// The parts of a model that do not affect its version hashes, as text.
    private func details(_ model: NSManagedObjectModel) -> [String] {
        model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }.flatMap { entity in
            let parts = [
                entity.name, entity.superentity?.name, entity.managedObjectClassName,
                entity.renamingIdentifier, "\(entity.indexes.map(\.name).sorted())",
            ]
            return [parts.map { $0 ?? "-" }.joined(separator: " ")]
                + entity.ownProperties.sorted { $0.name < $1.name }.map { property in
                    let attribute = property as? NSAttributeDescription
                    let relationship = property as? NSRelationshipDescription
                    return [
                        entity.name, property.name, property.renamingIdentifier,
                        attribute?.attributeValueClassName, attribute?.valueTransformerName,
                        attribute?.defaultConstant.map { "\($0)" },
                        relationship.map { "\($0.deleteRule)" },
                    ].map { $0 ?? "-" }.joined(separator: " ")
                }
        }
    }

    @Test(
        .enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)),
        arguments: [
            ("SampleModel", "SampleModel"), ("SampleModel", "SampleModel2"),
            ("SampleModel", "SampleModel3"), ("SampleModel3", "SampleModel3"),
            ("SampleModel3", "SampleModel3_v2"), ("SampleModel3", "SampleModel3_v3"),
        ])
    func `a compiled model equals its source`(_ name: String, _ version: String) throws {
        let folder = "alemar11-CoreDataPlus/\(name)"
        let source = try NSManagedObjectModel.load(
            contentsOf: Fixtures.model("\(folder).xcdatamodeld"), version: version)
        let compiled = try NSManagedObjectModel.load(
            contentsOf: Fixtures.model("\(folder).momd"), version: version)
        #expect(compiled.entityVersionHashesByName == source.entityVersionHashesByName)
        #expect(details(compiled) == details(source))
        #expect(compiled.versionIdentifiers == source.versionIdentifiers)
        #expect(compiled.configurations == source.configurations)
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)))
    func `a compiled folder loads its current version`() throws {
        let url = Fixtures.model("alemar11-CoreDataPlus/SampleModel3.momd")
        let model = try #require(NSManagedObjectModel(contentsOf: url))
        #expect(model.entitiesByName.count > 0)
        let error = try #require(throws: ModelError.self) {
            _ = try NSManagedObjectModel.load(contentsOf: url, version: "Nine")
        }
        #expect(error.kind == .noSuchVersion)
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)))
    func `the checksums of a folder's versions are the same, compiled or not`() throws {
        let folder = "alemar11-CoreDataPlus/SampleModel3"
        let source = try NSManagedObjectModel.versionChecksums(
            at: Fixtures.model("\(folder).xcdatamodeld"))
        let compiled = try NSManagedObjectModel.versionChecksums(
            at: Fixtures.model("\(folder).momd"))
        #expect(source.keys.sorted() == ["SampleModel3", "SampleModel3_v2", "SampleModel3_v3"])
        #expect(source == compiled)
        #expect(Set(source.values).count == 3)
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)))
    func `the models of a bundle are merged`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("models-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for path in ["3lvis-Sync/Notes.xcdatamodeld", "3lvis-Sync/Markets.xcdatamodeld"] {
            let url = Fixtures.model(path)
            try FileManager.default.copyItem(
                at: url, to: folder.appendingPathComponent(url.lastPathComponent))
        }
        let bundle = try #require(Bundle(url: folder))
        let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
        let parts = try ["Notes", "Markets"].map { name in
            try NSManagedObjectModel.load(
                contentsOf: Fixtures.model("3lvis-Sync/\(name).xcdatamodeld"))
        }
        #expect(merged.entities.count == parts.reduce(0) { $0 + $1.entities.count })
        let metadata = try #require(parts[0].storeMetadata())
        let notes = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
        #expect(notes?.versionChecksum == parts[0].versionChecksum)
        #expect(NSManagedObjectModel.mergedModel(from: []) == nil)
    }

    @Test(arguments: ["Shop.momd", "Shop.xcdatamodeld"])
    func `each version of a bundle's model is found by a store's metadata`(name: String) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("versions-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("source/Shop.xcdatamodeld")
        let entities = [#"<entity name="Item"/>"#, #"<entity name="Order"/>"#]
        let versions = [
            ("Shop", entities[0]), ("Shop 2", entities.joined()), ("Shop 10", entities[1]),
        ]
        for (version, content) in versions {
            let place = source.appendingPathComponent("\(version).xcdatamodel")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data("<model>\(content)</model>".utf8)
                .write(to: place.appendingPathComponent("contents"))
        }
        let target = folder.appendingPathComponent("bundle/\(name)")
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        if target.pathExtension == "momd" {
            try ModelCompiler.compile(source, to: target)
        } else {
            try FileManager.default.moveItem(at: source, to: target)
        }
        let bundle = try #require(Bundle(url: target.deletingLastPathComponent()))
        for (version, _) in versions {
            let model = try NSManagedObjectModel.load(contentsOf: target, version: version)
            let metadata = try #require(model.storeMetadata())
            let found = try #require(
                NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata))
            #expect(found.versionName == version)
            #expect(found.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        }
        let unknown = [VersionDigest.hashesKey: ["Item": Data([1])]]
        #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: unknown) == nil)
    }

    @Test func `a model is found by its name among a program's resources`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("resources-\(UUID().uuidString)")
        let versions = folder.appendingPathComponent("Plans.xcdatamodeld/Plans.xcdatamodel")
        try FileManager.default.createDirectory(at: versions, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = "<model><entity name=\"Plan\"/></model>"
        try text.write(
            to: versions.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        let bundle = try #require(Bundle(url: folder))
        let model = try NSManagedObjectModel.load(named: "Plans", in: [Bundle.main, bundle])
        #expect(model.entities.map(\.name) == ["Plan"])
        let error = #expect(throws: ModelError.self) {
            try NSManagedObjectModel.load(named: "Plan", in: [Bundle.main, bundle])
        }
        #expect(error?.description.contains("Plan.xcdatamodeld") == true)
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)))
    func `every real model survives the archive`() throws {
        for folder in Fixtures.versionFolders {
            let source = try NSManagedObjectModel.load(contentsOf: folder)
            let isSpecial = source.entities.contains { entity in
                entity.ownProperties.contains {
                    $0 is NSDerivedAttributeDescription
                        || $0 is NSCompositeAttributeDescription
                }
            }
            guard !isSpecial else { continue }
            let archive = ModelArchiver.archive(source)
            let copy = try ModelUnarchiver.model(archive, path: folder.path)
            #expect(copy.entityVersionHashesByName == source.entityVersionHashesByName)
            #expect(details(copy) == details(source), "\(folder.path)")
        }
    }

    @Test func `constants of every type survive the archive`() throws {
        let source = try read(
            """
            <entity name="Ä">
              <attribute name="a" attributeType="Date" defaultDateTimeInterval="60.5"/>
              <attribute name="b" attributeType="Decimal" defaultValueString="-12.75"/>
              <attribute name="c" attributeType="UUID"
                defaultValueString="01020304-0506-0708-090A-0B0C0D0E0F10"/>
              <attribute name="d" attributeType="URI" defaultValueString="https://a.example/b"/>
              <attribute name="e" attributeType="Integer 64"
                defaultValueString="-9223372036854775808"/>
              <attribute name="f" attributeType="Binary" defaultValueString="AQID"/>
              <attribute name="g" attributeType="Boolean" defaultValueString="YES"/>
              <attribute name="h" attributeType="Float" defaultValueString="0.5"/>
              <attribute name="i" attributeType="String" defaultValueString="ünïcödé"/>
              <attribute name="j" attributeType="Integer 32" defaultValueString="70000"/>
            </entity>
            """)
        let copy = try ModelUnarchiver.model(ModelArchiver.archive(source), path: "m")
        #expect(details(copy) == details(source))
    }

    @Test func `broken archives are errors and never crash`() throws {
        let good = ModelArchiver.archive(bookmarks())
        var random = SeededNumbers(state: 7)
        for round in 0..<500 {
            var bad = good
            for _ in 0...(round % 4) {
                bad[Int(random.next() % UInt64(bad.count))] = UInt8(random.next() % 256)
            }
            if round % 5 == 0 { bad = bad.prefix(Int(random.next() % UInt64(bad.count))) }
            _ = try? ModelUnarchiver.model(Data(bad), path: "m")
        }
        let error = try #require(throws: ModelError.self) {
            _ = try ModelUnarchiver.model(Data("hello".utf8), path: "m")
        }
        #expect(error.description.hasPrefix("m: the file is not a compiled model; "))
    }
}

/// SplitMix64. Equal seeds result in equal numbers.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
