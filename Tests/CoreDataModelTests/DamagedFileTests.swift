import Foundation
import Testing

@testable import CoreDataModel

/// Foundation's readers crash on these files. They must be read, or refused with a location.
struct DamagedFileTests {
    @Test(arguments: [
        ("<?xml ><?i?>", 1, 13), ("<!DOCTYPE a [<!ENTITY b \"c\">]><model/>", 1, 13),
        ("<model>é<!ATTLIST a b CDATA #IMPLIED></model>", 1, 9), ("<model>\n&b;</model>", 2, 1),
        ("<model>" + String(repeating: "<a>", count: 100_000), 1, 8 + 3 * 63),
    ])
    func `XML that cannot be a model is refused with its location`(
        text: String, line: Int, column: Int
    ) throws {
        let error = try #require(throws: ModelError.self) {
            _ = try NSManagedObjectModel.parse(Data(text.utf8), path: "contents")
        }
        #expect(error.kind == .notXML)
        #expect(
            error.location == ModelError.Location(path: "contents", line: line, column: column))
    }

    @Test(arguments: [
        "<?xml version=\"1.0\"?><model/>", "<!-- <?x?> --><model/>",
        "<model><![CDATA[<?x?><!ENTITY]]></model>", "<?xml-stylesheet href='a'?><model/>",
        "<!DOCTYPE model SYSTEM \"b\"><model/>", "<?x?><model/>", "<model>\n <?x ?></model>",
        "\u{FEFF}<?xml version=\"1.0\"?>\r\n<model>&#233;</model >\n",
    ])
    func `XML that can be a model is read`(text: String) throws {
        let model = try NSManagedObjectModel.parse(Data(text.utf8), path: "contents")
        #expect(model.entities.isEmpty)
    }

    /// A binary property list whose root array contains itself.
    private static let ownMember: [UInt8] =
        Array("bplist00".utf8) + [0xA1, 0x00, 0x08] + [UInt8](repeating: 0, count: 6) + [1, 1]
        + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, 10]

    @Test func `a property list that contains itself is refused`() {
        #expect(PropertyListReader.read(Data(Self.ownMember)) == nil)
    }

    @Test(arguments: ["<array>", "(", "{a=", "<dict><key>a</key>"])
    func `a property list that is nested beyond the bound is refused`(opening: String) {
        let text = String(repeating: opening, count: 200_000)
        #expect(PropertyListReader.read(Data(text.utf8)) == nil)
    }

    @Test func `every kind of value is read as Foundation reads it, in all forms`() throws {
        let list: [String: Any] = [
            "text": "é", "count": -5, "large": Int.max, "ratio": 1.5, "flag": true,
            "data": Data([1, 2]), "date": Date(timeIntervalSinceReferenceDate: 77),
            "list": [1, [2, ["a": "b"]]] as [Any],
        ]
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            let data = try PropertyListSerialization.data(
                fromPropertyList: list, format: format, options: 0)
            let read = try #require(PropertyListReader.read(data) as? [String: Any])
            #expect(read as NSDictionary == list as NSDictionary)
        }
        let old = PropertyListReader.read(Data("{ a = (b, c); }".utf8)) as? [String: [String]]
        #expect(old == ["a": ["b", "c"]])
    }

    @Test func `a version list that contains itself is refused with its file`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("damaged-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, list) in [
            ("M.xcdatamodeld", ".xccurrentversion"), ("M.momd", "VersionInfo.plist"),
        ] {
            let model = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: model.appendingPathComponent("A.xcdatamodel"), withIntermediateDirectories: true
            )
            let file = model.appendingPathComponent(list)
            try Data(Self.ownMember).write(to: file)
            let error = try #require(throws: ModelError.self) {
                _ = try NSManagedObjectModel.load(contentsOf: model)
            }
            #expect(error.location?.path == file.path)
        }
    }

    @Test func `the error of a compiled model names its file`() throws {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "two words"
        model.entities = [entity]
        let error = try #require(throws: ModelError.self) {
            _ = try NSManagedObjectModel.parse(compiled: model.compiledData(), path: "m.mom")
        }
        #expect(error.location == ModelError.Location(path: "m.mom"))
    }
}
