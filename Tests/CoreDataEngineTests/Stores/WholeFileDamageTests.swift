import CoreDataModel
import Foundation
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// Tests that the error about a damaged file states the position and the problem.
@Suite struct WholeFileDamageTests {
    /// A text of the XML file, an invalid replacement, and the expected error.
    struct Lie: CustomTestStringConvertible {
        let old: String
        let new: String
        let says: String

        init(_ old: String, _ new: String, _ says: String) {
            (self.old, self.new, self.says) = (old, new, says)
        }

        var testDescription: String { "\(old) → \(new.prefix(60))" }
    }

    private static func typed(_ type: String, _ other: String) -> Lie {
        Lie("type=\"\(type)\"", "type=\"\(other)\"", "has the type '\(other)', but the model says")
    }

    private static let kinds: [Lie] = [
        typed("string", "int64"), typed("string", "double"), typed("string", "uuid"),
        typed("int64", "string"), typed("int64", "date"), typed("int16", "int32"),
        typed("decimal", "string"), typed("uuid", "binary"), typed("binary", "string"),
        typed("date", "double"), typed("uri", "string"), typed("bool", "int64"),
        typed("string", "nonsense"),
        Lie(
            "type=\"string\">s<", "type=\"int64\">4611686018427387904<",
            "has the type 'int64', but the model says"),
    ]

    private static let values: [Lie] = [
        Lie(">32767<", ">32768<", "is out of the range of integer16"),
        Lie(">-2147483648<", ">1000000000000<", "is out of the range of integer32"),
        Lie(">4611686018427387904<", ">99999999999999999999<", "is not of the type int64"),
        Lie("type=\"bool\">1<", "type=\"bool\">2<", "is out of the range of boolean"),
        Lie("type=\"date\">1.25<", "type=\"date\">nan<", "is out of the range of date"),
        Lie("type=\"date\">1.25<", "type=\"date\">inf<", "is out of the range of date"),
        Lie("type=\"double\">0.5<", "type=\"double\">1e999<", "is not of the type double"),
        Lie("type=\"float\">0.25<", "type=\"float\">1e200<", "is out of the range of float"),
        Lie(">12.5<", ">12.5abc<", "is not of the type decimal"),
        Lie(">12.5<", ">NaN<", "is not of the type decimal"),
        Lie(">12.5<", ">1e9000<", "is not of the type decimal"),
        Lie(
            ">12.5<", ">1234567890123456789012345678901234567890123<",
            "is not of the type decimal"),
        Lie("E621E1F8", "E621E1F", "is not of the type uuid"),
        Lie(">AAH/<", ">AAH<", "is not of the type binary"),
        Lie("https://example.org/a", "", "is out of the range of uri"),
        Lie("type=\"base64\">", "type=\"base64\">/w", "is not of the type base64"),
    ]

    private static let objects: [Lie] = [
        Lie("<object type=\"THING\"", "<object type=\"THANG\"", "the model has no entity 'THANG'"),
        Lie("<object type=\"THING\"", "<object type=\"ROOT\"", "the entity Root is abstract"),
        Lie("id=\"z1\"", "id=\"z0\"", "0 is not an id"),
        Lie("id=\"z1\"", "id=\"1\"", "'1' is not an id"),
        Lie("id=\"z1\"", "id=\"z-1\"", "'z-1' is not an id"),
        Lie("id=\"z1\"", "id=\"z9223372036854775807\"", "9223372036854775807 is not an id"),
        Lie("id=\"z1\"", "id=\"z2\"", "Thing 2 appears twice"),
        Lie("name=\"text\"", "name=\"tuxt\"", "Thing has no property 'tuxt'"),
        Lie("name=\"small\"", "name=\"middle\"", "has the type"),
        Lie("name=\"text\"", "name=\"shelf\"", "'shelf' of Thing does not belong in <attribute>"),
        Lie("name=\"shelf\"", "name=\"text\"", "'text' of Thing does not belong in <relationship>"),
        Lie("destination=\"SHELF\"", "destination=\"THING\"", "has another destination entity"),
        Lie("<attribute name=\"text\"", "<attribute", "<attribute> has no 'name'"),
        Lie("<attribute name=\"text\"", "<attribute colour=\"r\" name=\"text\"", "'colour'"),
        Lie(
            "<nextObjectID>4<", "<nextObjectID>9223372036854775807<",
            "9223372036854775806 cannot be the last id"),
        Lie("<nextObjectID>4<", "<nextObjectID>-4<", "nextObjectID is not a number above 0"),
    ]

    private static let references: [Lie] = [
        Lie(
            "name=\"shelf\" type=\"1/1\" destination=\"SHELF\" idrefs=\"z3\"",
            "name=\"shelf\" type=\"1/1\" destination=\"SHELF\" idrefs=\"z7\"",
            "shelf of Thing 1 names Shelf 7, which does not exist"),
        Lie(
            "name=\"shelf\" type=\"1/1\" destination=\"SHELF\" idrefs=\"z3\"",
            "name=\"shelf\" type=\"1/1\" destination=\"SHELF\" idrefs=\"z2\"",
            "shelf of Thing 1 names Shelf 2, which does not exist"),
        Lie(
            "name=\"shelf\" type=\"1/1\" destination=\"SHELF\" idrefs=\"z3\"",
            "name=\"shelf\" type=\"1/1\" destination=\"SHELF\" idrefs=\"z3 z3\"",
            "a to-one relationship has 2 objects"),
        Lie("idrefs=\"z2 z1\"", "idrefs=\"z2 z1 z2\"", "things of Shelf 3 has 2 twice"),
        Lie("idrefs=\"z2 z1\"", "idrefs=\"z2 z9\"", "things of Shelf 3 names Thing 9"),
        Lie("idrefs=\"z2 z1\"", "idrefs=\"z2 z3\"", "things of Shelf 3 names Thing 3"),
        Lie("idrefs=\"z2 z1\"", "idrefs=\"z2 z99999999999999\"", "which is not an id"),
        Lie("idrefs=\"z2 z1\"", "idrefs=\"z2 one\"", "'one' is not an id"),
    ]

    private static let markup: [Lie] = [
        Lie("</database>", "", "is cut off"),
        Lie("</object>\n</database>", "</database>", "</database> does not close"),
        Lie("</database>", "</database><more/>", "it does not end with </database>"),
        Lie("</database>", "</database>text", "it does not end with </database>"),
        Lie("</attribute>", "</attribut>", "does not close an open element"),
        Lie("<UUID>", "<UUID>x", "is not a UUID"),
        Lie("<metadata>", "<metadata><a/>", "property list"),
        Lie("<version>", "<version>x", "the version is not a number"),
        Lie("</databaseInfo>", "<extra/></databaseInfo>", "<extra> is unknown in the head"),
        Lie("<object ", "<thing/><object ", "<thing> does not belong here"),
        Lie("<object ", "text<object ", "the text does not belong here"),
        Lie(">a<", ">&bomb;<", "'&bomb' is unknown"),
        Lie(">a<", ">&#0;<", "'&#0' is unknown"), Lie(">a<", ">\u{2}<", "the byte 2"),
        Lie(
            "DTDs/CoreData.dtd\">",
            "DTDs/CoreData.dtd\" [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]>",
            "the file declares entities"),
        Lie(
            "<object ", String(repeating: "<a>", count: 100_000) + "<object ",
            "<a> does not belong here"),
        Lie(
            "<metadata>", "<metadata>" + String(repeating: "<array>", count: 100_000),
            "nested more than 64 deep"),
    ]

    @Test(arguments: kinds + values + objects + references + markup)
    func `a wrong XML file is refused with line and column`(lie: Lie) throws {
        let fixture = try WholeFileFixture(NSXMLStoreType)
        try fixture.fill()
        try fixture.edit(lie.old, lie.new)
        let error = try #require(fixture.failure(), "it opens")
        #expect(error.code == FileCode.corrupt)
        #expect(error.userInfo[NSFilePathErrorKey] as? String == fixture.url.path)
        let text = error.localizedDescription
        #expect(text.contains(lie.says), "\(text)")
        let place = /store:[0-9]+:[0-9]+ is damaged, or its type is not XML/
        #expect(text.contains(place), "\(text)")
    }

    @Test func `the error of an XML file counts lines and columns from 1`() throws {
        let fixture = try WholeFileFixture(NSXMLStoreType)
        try fixture.fill()
        try fixture.edit("type=\"int16\"", "type=\"string\"")
        let lines = try String(contentsOf: fixture.url, encoding: .utf8).components(
            separatedBy: "\n")
        let line = try #require(lines.firstIndex { $0.contains("name=\"small\"") }) + 1
        let text = try #require(fixture.failure()).localizedDescription
        #expect(text.contains("/store:\(line):9 is damaged, or its type is not XML"), "\(text)")
    }

    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func `a file that is cut off anywhere is refused`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        try fixture.fill()
        let whole = try fixture.bytes()
        // Only the final line end of XML can be cut without loss.
        for count in 0..<(type == NSXMLStoreType ? whole.count - 1 : whole.count) {
            try fixture.overwrite(whole.prefix(count))
            let error = try #require(fixture.failure(), "\(count) of \(whole.count) bytes open")
            #expect(error.code == FileCode.corrupt)
        }
        try fixture.overwrite(whole + Data("x".utf8))
        #expect(fixture.failure()?.code == FileCode.corrupt)
        try fixture.overwrite(whole)
        #expect(fixture.failure() == nil)
    }

    @Test func `a binary store with any byte changed is refused`() throws {
        let fixture = try WholeFileFixture(NSBinaryStoreType)
        try fixture.fill()
        let whole = try fixture.bytes()
        for place in whole.indices {
            var changed = whole
            changed[place] ^= 1 << UInt8(place % 8)
            try fixture.overwrite(changed)
            #expect(fixture.failure()?.code == FileCode.corrupt, "byte \(place)")
        }
        var random = SeededBytes(state: 11)
        for round in 0..<2_000 {
            let changed = random.mutated(whole)
            try fixture.overwrite(changed)
            let isRefused = fixture.failure()?.code == FileCode.corrupt
            #expect(isRefused == (changed != whole), "round \(round)")
        }
    }

    /// The contents of a file are changed and its checksum is corrected.
    @Test func `a binary store with a valid checksum is read or refused, without other effects`()
        throws
    {
        let fixture = try WholeFileFixture(NSBinaryStoreType)
        try fixture.fill()
        let whole = try fixture.bytes()
        let content = whole.dropFirst(41)
        #expect(sealed(content) == whole)
        var random = SeededBytes(state: 13)
        var refused = 0
        for _ in 0..<2_000 {
            try fixture.overwrite(sealed(random.mutated(content)))
            if let error = fixture.failure() {
                refused += 1
                #expect(
                    [FileCode.corrupt, NSPersistentStoreIncompatibleVersionHashError]
                        .contains(error.code), "\(error)")
            }
        }
        #expect(refused > 1_000)
    }

    /// Kinds, keys and references of a binary store must fit the model.
    @Test(arguments: [
        ("text", 1, "is an integer, but the model says string"),
        ("text", 2, "is a number with a fraction, but the model says string"),
        ("large", 3, "is a text, but the model says integer64"),
        ("uuid", 3, "is a text, but the model says uuid"),
        ("shelf", 1, "is an integer, but the model says toOne"),
        ("text", 7, "is a reference, but the model says string"),
    ])
    func `a binary store with a value of another kind is refused`(
        name: String, tag: Int, says: String
    ) throws {
        let fixture = try WholeFileFixture(NSBinaryStoreType)
        let layout = try #require(
            try fixture.context().persistentStoreCoordinator?.managedObjectModel
                .entitiesByName["Thing"]?.layout)
        let content = try fixture.bytes().dropFirst(41)
        var reader = ByteReader(content)
        _ = try reader.text()
        _ = try reader.metadata()
        var writer = ByteWriter(bytes: Array(content.prefix(reader.offset)))
        writer.append(Int64(1))
        writer.append(UInt32(1))
        writer.append(layout.name)
        writer.append(UInt32(1))
        writer.append(name)
        writer.append(UInt32(0))
        writer.append(UInt32(1))
        writer.append(Int64(1))
        writer.append(Int32(1))
        switch tag {
        case 1: writer.append(Value.integer(1 << 62))
        case 2: writer.append(Value.double(1))
        case 3: writer.append(Value.string("text"))
        default: writer.append(Value.reference(ObjectKey(entity: 0, key: 1)))
        }
        try fixture.overwrite(sealed(Data(writer.bytes)))
        let error = try #require(fixture.failure())
        #expect(error.code == FileCode.corrupt)
        #expect(error.localizedDescription.contains(says), "\(error.localizedDescription)")
        #expect(error.localizedDescription.contains("/store, byte "))
    }

    @Test func `an XML store with any byte changed is read or refused, without other effects`()
        throws
    {
        let fixture = try WholeFileFixture(NSXMLStoreType)
        try fixture.fill()
        let whole = try fixture.bytes()
        let allowed = [
            FileCode.corrupt, NSPersistentStoreIncompatibleVersionHashError,
            NSPersistentStoreTypeMismatchError,
        ]
        func check(_ changed: Data) throws {
            try fixture.overwrite(changed)
            guard let error = fixture.failure() else { return }
            #expect(allowed.contains(error.code), "\(error)")
        }
        for place in whole.indices {
            var changed = whole
            changed[place] ^= 1 << UInt8(place % 8)
            try check(changed)
        }
        var random = SeededBytes(state: 17)
        for _ in 0..<2_000 { try check(random.mutated(whole)) }
        try fixture.overwrite(whole)
        #expect(fixture.failure() == nil)
    }

    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func `a damaged store does not replace another one, and keeps its metadata`(
        type: String
    ) throws {
        let fixture = try WholeFileFixture(type)
        try fixture.fill()
        let good = fixture.folder.url.appendingPathComponent("good")
        try FileManager.default.copyItem(at: fixture.url, to: good)
        let before = try Data(contentsOf: good)
        try fixture.overwrite(try fixture.bytes().dropLast(30))
        let damaged = try fixture.bytes()
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: WholeFileFixture.model())
        #expect(throws: (any Error).self) {
            try coordinator.replacePersistentStore(
                at: good, withPersistentStoreFrom: fixture.url, ofType: type)
        }
        #expect(try Data(contentsOf: good) == before)
        #expect(throws: (any Error).self) {
            try NSPersistentStoreCoordinator.setMetadata(
                ["colour": "red"], forPersistentStoreOfType: type, at: fixture.url)
        }
        #expect(try fixture.bytes() == damaged)
    }

    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func `a value that could not be read again is not written`(type: String) throws {
        let fixture = try WholeFileFixture(type)
        let context = try fixture.context()
        let before = try fixture.bytes()
        try context.on {
            let date = Date(timeIntervalSinceReferenceDate: .nan)
            let thing = context.make("Thing", ["date": date])
            let error = try #require(context.saveError())
            #expect(error.localizedDescription.contains("'date'"), "\(error)")
            context.delete(thing)
        }
        #expect(try fixture.bytes() == before)
        #expect(throws: (any Error).self) {
            var nested: Any = "end"
            for _ in 0..<100 { nested = [nested] }
            try NSPersistentStoreCoordinator.setMetadata(
                ["deep": nested], forPersistentStoreOfType: type, at: fixture.url)
        }
        #expect(fixture.failure() == nil)
    }

    @Test func `a slot accepts only values of its kind`() {
        let values: [Value] = [
            .integer(1), .double(1), .string(""), .data(Data()), .uuid(UUID()), .decimal(1),
            .reference(ObjectKey(entity: 0, key: 1)),
        ]
        let kinds: [[ValueKind]] = [
            [.integer16, .integer32, .integer64, .boolean], [.double, .float, .date],
            [.string, .uri], [.binary], [.uuid], [.decimal], [.toOne],
        ]
        for (index, value) in values.enumerated() {
            for (other, group) in kinds.enumerated() {
                for kind in group { #expect(value.fits(kind) == (index == other)) }
            }
        }
    }

    private func sealed(_ content: Data) -> Data {
        var writer = ByteWriter(bytes: Array("Faultline binary store 2\n".utf8))
        writer.append(UInt64(content.count))
        writer.append(Checksum(Data(content)).value)
        return Data(writer.bytes) + content
    }
}
