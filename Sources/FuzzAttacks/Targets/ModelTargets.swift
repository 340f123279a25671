import CoreData
import CoreDataEngine
import CoreDataModel
import Foundation

/// The targets that read models as text, compiled models, and mapping models.
enum ModelTargets {
    static let all: [FuzzTargets.Entry] = [
        FuzzTargets.Entry("model-text", floor: 200, most: 300_000) { name in
            let texts = FuzzFixtures.files { $0.hasSuffix(".xcdatamodel/contents") }
                .map { String(decoding: $0, as: UTF8.self) }
            let source = TextSource([FuzzLibrary.modelText, smallText] + texts, words: words)
            return FuzzTarget(name, source, run: { text($0) })
        },
        FuzzTargets.Entry("model-compiled", floor: 200, most: 400_000) { name in
            let own = [UInt8](try FuzzLibrary.model().compiledData())
            let source = PropertyListSource([own] + FuzzFixtures.files { $0.hasSuffix(".mom") })
            return FuzzTarget(name, source, run: { compiled($0) })
        },
        FuzzTargets.Entry("model-version-lists", floor: 75, most: 60_000) { name in
            let folders = try ModelFolders()
            return FuzzTarget(name, VersionListSource(), run: { folders.read($0) })
        },
        FuzzTargets.Entry("model-cache", floor: 200, most: 400_000) { name in
            let own = [UInt8](try FuzzLibrary.model().cachedModelData())
            let deflated = [UInt8](Data(base64Encoded: ModelCacheSeed.text) ?? Data())
            return FuzzTarget(name, ByteSource(seeds: [own, deflated]), run: { cached($0) })
        },
        FuzzTargets.Entry("mapping-model", floor: 150, most: 200_000) { name in
            let seeds = [MappingSeed.bytes()] + FuzzFixtures.files { $0.hasSuffix(".cdm") }
            let file = try ScratchFile("model.cdm")
            return FuzzTarget(name, PropertyListSource(seeds)) { mapping($0, file) }
        },
    ]

    private static let smallText = """
        <model><entity name="A"><attribute name="a" attributeType="String" minValueString="1" \
        maxValueString="9" regularExpressionString="[a-z]+" renamingIdentifier="b"/>\
        <attribute name="t" attributeType="Transformable" valueTransformerName="X"/>\
        <fetchedProperty name="f"><fetchRequest name="f" entity="A" predicateString="a == 'x'"/>\
        </fetchedProperty><relationship name="b" destinationEntity="A" inverseName="c" \
        inverseEntity="A" maxCount="1" minCount="1"/><relationship name="c" toMany="YES" \
        destinationEntity="A" inverseName="b" inverseEntity="A"/>\
        <uniquenessConstraints><uniquenessConstraint><constraint value="a"/>\
        </uniquenessConstraint></uniquenessConstraints><userInfo><entry key="k" value="v"/>\
        </userInfo></entity><configuration name="C"><memberEntity name="A"/></configuration>\
        <fetchRequest name="r" entity="A" predicateString="a LIKE '$X'" fetchLimit="3"/></model>
        """

    private static let words = [
        "<entity name=\"A\" parentEntity=\"B\">", "</entity>", "<attribute ", "/>", ">", "<",
        "&amp;", "&#0;", "&#xFFFFFF;", "&x;", "<![CDATA[", "]]>", "<!--", "-->",
        "<!DOCTYPE a [<!ENTITY x \"y\">]>", "<?pi?>", "attributeType=\"Integer 16\"",
        "attributeType=\"Date\" defaultDateTimeInterval=\"1e300\"", "toMany=\"YES\"",
        "ordered=\"YES\"", "isAbstract=\"YES\"", "parentEntity=\"Item\"",
        "destinationEntity=\"Tag\"",
        "inverseName=\"items\"", "name=\"\"", "name=\"self\"", "name=\"description\"", "Decimal",
        "defaultValueString=\"1e999\"", "maxCount=\"-1\"", "minCount=\"999999999999\"", "Binary",
        "elementID=\"x\"", "versionHashModifier=\"v\"", "Composite", "derived=\"YES\"",
        "derivationExpression=\"items.@count\"", "predicateString=\"((((\"", "Undefined", "UUID",
    ]

    /// Checks that an error names the file.
    private static func refused(_ error: ModelError, _ path: String) -> FuzzVerdict {
        for finding in error.findings where finding.message.isEmpty {
            return .broken("a finding without a message: \(finding.kind)")
        }
        guard error.location?.path == path else {
            return .broken("an error without its file: \(error)")
        }
        return .refused
    }

    private static func text(_ input: [UInt8]) -> FuzzVerdict {
        let model: NSManagedObjectModel
        do throws(ModelError) {
            model = try NSManagedObjectModel.parse(Data(input), path: "contents")
        } catch {
            guard error.location?.line != nil else {
                return .broken("an error without its line: \(error)")
            }
            return refused(error, "contents")
        }
        return archived(model)
    }

    private static func compiled(_ input: [UInt8]) -> FuzzVerdict {
        do throws(ModelError) {
            return archived(
                try NSManagedObjectModel.parse(compiled: Data(input), path: "m.mom"))
        } catch {
            return refused(error, "m.mom")
        }
    }

    private static func cached(_ input: [UInt8]) -> FuzzVerdict {
        do throws(ModelError) {
            let model = try NSManagedObjectModel.cachedModel(Data(input), path: "s.sqlite")
            return archived(model)
        } catch {
            return refused(error, "s.sqlite")
        }
    }

    /// Checks that a model does not change when it is compiled and read again.
    private static func archived(_ model: NSManagedObjectModel) -> FuzzVerdict {
        _ = (model.fetchRequestTemplatesByName, model.storeMetadata(forConfigurationName: nil))
        do {
            let layout = try ModelBinding.of(model.makeCopy()).layout
            let again = try NSManagedObjectModel.cachedModel(model.cachedModelData(), path: "m")
            let hashes = (model.entityVersionHashesByName, again.entityVersionHashesByName)
            guard hashes.0 == hashes.1 else {
                let other = hashes.0.filter { hashes.1[$0.key] != $0.value }.keys.sorted()
                return .broken("compiled and read again, \(other) have other hashes")
            }
            let texts = (text(layout), text(try ModelBinding.of(again).layout))
            guard texts.0 == texts.1 else {
                return .broken("compiled and read again, '\(texts.0)' is '\(texts.1)'")
            }
            return .accepted
        } catch let error as ModelError {
            return .broken("the compiled model cannot be read: \(error)")
        } catch {
            // The engine cannot store this model.
            return .refused
        }
    }

    /// A text that describes the model. It does not depend on the order of properties.
    private static func text(_ layout: ModelLayout) -> String {
        layout.entities.map { entity in
            let values = entity.values.map { "\($0.name) \($0.kind) \($0.column ?? "-")" }
            let toMany = entity.toMany.map { "\($0.name) \($0.isOrdered) \($0.destinationIndex)" }
            let slots = (values + toMany).sorted().joined(separator: ", ")
            return "\(entity.index) \(entity.name) \(entity.tableName): \(slots)"
        }.joined(separator: "; ")
    }

    private static func mapping(_ input: [UInt8], _ file: ScratchFile) -> FuzzVerdict {
        file.write(input)
        guard let model = NSMappingModel(contentsOf: file.url) else { return .refused }
        for mapping in model.entityMappings {
            _ = mapping.sourceExpression?.description
            let properties =
                (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
            for property in properties {
                _ = property.valueExpression?.description
                _ = property.valueExpression?.hash
            }
        }
        return .accepted
    }
}

/// A temporary file of a target. Its folder is removed when this object is released.
final class ScratchFile: Sendable {
    let url: URL
    let folder: URL

    init(_ name: String) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-input-\(UUID().uuidString)")
        url = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ bytes: [UInt8]) {
        // An atomic write would create and rename a file for each input.
        _ = FileManager.default.createFile(atPath: url.path, contents: Data(bytes))
    }
}

/// Generates the files that name the current version of a model.
private struct VersionListSource: FuzzSource {
    private let texts = TextSource(
        [
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
            <string>B.xcdatamodel</string>
            <key>NSManagedObjectModel_CurrentVersionName</key><string>B</string>
            <key>NSManagedObjectModel_VersionHashes</key><dict><key>B</key><dict>
            <key>A</key><data>AAEC</data></dict></dict></dict></plist>
            """,
            "{ _XCCurrentVersionName = B; NSManagedObjectModel_CurrentVersionName = B; }",
        ],
        words: [
            "<dict>", "</dict>", "<array>", "<key>", "<string>", "../../x", "/etc/passwd", "A", "B",
            "<integer>1</integer>", "<real>nan</real>", "<date>2024-13-45T99:99:99Z</date>", "{",
            "}",
            "<data>====</data>", "(", ")", "<00ff>", "<true/>", "&lt;", "/*", "*/", ";", "=",
        ])
    private let binaries = PropertyListSource([
        [UInt8](
            BinaryPropertyListWriter.data(
                .dictionary([
                    ("_XCCurrentVersionName", .string("B.xcdatamodel")),
                    ("NSManagedObjectModel_CurrentVersionName", .string("B")),
                    ("hashes", .array([.data(Data([0, 1])), .integer(3), .boolean(true)])),
                ])))
    ])

    var plain: [UInt8] { texts.plain }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        random.oneIn(2) ? texts.input(&random) : binaries.input(&random)
    }
}

/// A model with two versions, in source form and compiled.
private final class ModelFolders: Sendable {
    private let scratch: ScratchFile
    private let source: URL
    private let compiled: URL

    init() throws {
        scratch = try ScratchFile("unused")
        source = scratch.folder.appendingPathComponent("M.xcdatamodeld")
        compiled = scratch.folder.appendingPathComponent("M.momd")
        let files = FileManager.default
        for version in ["A", "B"] {
            let folder = source.appendingPathComponent("\(version).xcdatamodel")
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(FuzzLibrary.modelText.utf8)
                .write(to: folder.appendingPathComponent("contents"))
            try files.createDirectory(at: compiled, withIntermediateDirectories: true)
            try FuzzLibrary.model().compiledData()
                .write(to: compiled.appendingPathComponent("\(version).mom"))
        }
    }

    func read(_ input: [UInt8]) -> FuzzVerdict {
        let lists = [
            source.appendingPathComponent(".xccurrentversion"),
            compiled.appendingPathComponent("VersionInfo.plist"),
        ]
        for list in lists {
            _ = FileManager.default.createFile(atPath: list.path, contents: Data(input))
        }
        var accepted = false
        for folder in [source, compiled] {
            do throws(ModelError) {
                _ = try NSManagedObjectModel.load(contentsOf: folder)
                accepted = true
            } catch {
                guard error.location?.path.isEmpty == false else {
                    return .broken("an error without its file: \(error)")
                }
            }
        }
        return accepted ? .accepted : .refused
    }
}

/// A compiled mapping model that contains every kind of expression.
private enum MappingSeed {
    static func bytes() -> [UInt8] {
        var objects: [ArchiveValue] = [.string("$null")]
        func add(_ value: ArchiveValue) -> ArchiveValue {
            objects.append(value)
            return .reference(objects.count - 1)
        }
        func make(_ name: String, _ fields: [(key: String, value: ArchiveValue)]) -> ArchiveValue {
            let type = add(
                .dictionary([
                    ("$classname", .string(name)),
                    ("$classes", .array([.string(name), .string("NSObject")])),
                ]))
            return add(.dictionary([("$class", type)] + fields))
        }
        func list(_ members: [ArchiveValue]) -> ArchiveValue {
            make("NSArray", [("NS.objects", .array(members))])
        }
        func text(_ text: String) -> ArchiveValue { add(.string(text)) }
        let source = make("NSVariableExpression", [("NSVariable", text("source"))])
        let path = make("NSKeyPathSpecifierExpression", [("NSKeyPath", text("owner.name"))])
        let read = make(
            "NSKeyPathExpression",
            [
                ("NSSelectorName", text("valueForKeyPath:")), ("NSOperand", source),
                ("NSArguments", list([path])),
            ])
        let constant = make("NSConstantValueExpression", [("NSConstantValue", add(.integer(5)))])
        let call = make(
            "NSFunctionExpression",
            [
                ("NSSelectorName", text("destinationInstancesForEntityMappingNamed:")),
                ("NSOperand", make("NSSelfExpression", [])),
                ("NSArguments", list([constant, read])),
            ])
        let fetch = make("NSFetchRequestExpression", [("NSFRExpression", call)])
        let properties = [("name", read), ("size", constant), ("owner", call)].map { name, value in
            make(
                "NSPropertyMapping",
                [("NSDestinationPropertyName", text(name)), ("NSValueExpression", value)])
        }
        let mapping = make(
            "NSEntityMapping",
            [
                ("NSMappingName", text("ItemToItem")), ("NSMappingType", .integer(1)),
                ("NSSourceEntityName", text("Item")), ("NSDestinationEntityName", text("Item")),
                ("NSSourceEntityVersionHash", add(.data(Data([1, 2, 3])))),
                ("NSSourceExpression", fetch), ("NSAttributeMappings", list(properties)),
                ("NSRelationshipMappings", list([properties[2]])),
            ])
        let root = make("NSMappingModel", [("NSEntityMappings", list([mapping]))])
        return [UInt8](
            BinaryPropertyListWriter.data(
                .dictionary([
                    ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
                    ("$top", .dictionary([("root", root)])), ("$objects", .array(objects)),
                ])))
    }
}
