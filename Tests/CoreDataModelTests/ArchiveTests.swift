import Foundation
import Testing

@testable import CoreDataModel

struct ArchiveTests {
    private func sample() throws -> NSManagedObjectModel {
        try read(
            """
            <entity name="Motörhead" isAbstract="YES" versionHashModifier="7">
              <attribute name="at" attributeType="Date" defaultDateTimeInterval="60"/>
              <attribute name="cost" attributeType="Decimal" defaultValueString="-12.75"/>
              <attribute name="id" attributeType="UUID"
                defaultValueString="00000000-0000-0000-0000-000000000001"/>
              <attribute name="link" attributeType="URI" defaultValueString="https://a.example"/>
              <attribute name="many" attributeType="Integer 64" defaultValueString="-3"/>
              <attribute name="note" attributeType="String" optional="YES" transient="YES">
                <userInfo><entry key="a" value="b"/></userInfo>
              </attribute>
              <relationship name="others" optional="YES" toMany="YES" ordered="YES"
                deletionRule="Cascade" destinationEntity="Motörhead" inverseName="owner"/>
              <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify"
                destinationEntity="Motörhead" inverseName="others"/>
              <fetchIndex name="byID"><fetchIndexElement property="id"/></fetchIndex>
              <uniquenessConstraints>
                <uniquenessConstraint><constraint value="id"/></uniquenessConstraint>
              </uniquenessConstraints>
            </entity>
            <entity name="Child" parentEntity="Motörhead"/>
            <configuration name="Some"><memberEntity name="Child"/></configuration>
            """)
    }

    private func objects(_ archive: Data) throws -> [[String: Any]] {
        let list = try PropertyListSerialization.propertyList(
            from: archive, options: [], format: nil)
        let root = try #require(list as? [String: Any])
        #expect(root["$archiver"] as? String == "NSKeyedArchiver")
        #expect(root["$version"] as? Int == 100_000)
        let all = try #require(root["$objects"] as? [Any])
        #expect(all.first as? String == "$null")
        return all.compactMap { $0 as? [String: Any] }
    }

    /// The keys of all objects that contain the given key.
    private func keys(_ objects: [[String: Any]], with key: String) -> Set<String> {
        Set(objects.filter { $0[key] != nil }.flatMap(\.keys))
    }

    @Test func `the archive is a property list with an object for each part`() throws {
        let objects = try objects(ModelArchiver.archive(sample()))
        let attributes = objects.filter { $0["NSAttributeType"] != nil }
        #expect(
            attributes.compactMap { $0["NSAttributeType"] as? Int }
                == [900, 400, 1100, 1200, 300, 700])
        let note = try #require(attributes.last)
        #expect(note["_P"] as? Int == 0b1011_1011)
        let relationships = objects.filter { $0["NSDeleteRule"] != nil }
        #expect(relationships.compactMap { $0["NSDeleteRule"] as? Int } == [2, 1])
        #expect(relationships.compactMap { $0["_P"] as? Int } == [1267, 243])
        let decimal = try #require(objects.first { $0["NS.exponent"] != nil })
        #expect(decimal["NS.exponent"] as? Int == -2)
        #expect(decimal["NS.negative"] as? Bool == true)
        #expect((decimal["NS.mantissa"] as? Data)?.prefix(3) == Data([0xFB, 0x04, 0]))
        #expect(objects.contains { $0["NS.time"] as? Double == 60 })
        #expect(objects.filter { $0["NSEntityName"] != nil }.count == 2)
        #expect(objects.contains { $0["NSIsAbstract"] as? Bool == true })
        #expect(objects.filter { $0["NSIndexName"] != nil }.count == 1)
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)))
    func `every key occurs in real compiled models`() throws {
        let ours = try objects(ModelArchiver.archive(sample()))
        var real: [[String: Any]] = []
        for name in ["SampleModel3.momd/SampleModel3", "SampleModel.momd/SampleModel2"] {
            let url = Fixtures.model("alemar11-CoreDataPlus/\(name).mom")
            real += try objects(Data(contentsOf: url))
        }
        let url = Fixtures.model("alemar11-CoreDataPlus/SampleModel.momd/SampleModel.mom")
        real += try objects(Data(contentsOf: url))
        // These keys need a property that no compiled sample has.
        let others: Set<String> = [
            "NSConfigurations", "NSIsAbstract", "NSIsOrdered", "NSUserInfo", "NSCompoundIndexes",
            "NSFetchIndexDescriptions",
        ]
        for key in ["NSEntities", "NSEntityName", "NSAttributeType", "NSDeleteRule"] {
            let extra = keys(ours, with: key).subtracting(keys(real, with: key))
            #expect(extra.subtracting(others) == [], "\(key)")
            let missing = keys(real, with: key).subtracting(keys(ours, with: key))
            #expect(missing.filter { !$0.hasPrefix("CDM") } == [], "\(key)")
        }
    }

    @Test func `the cache is the archive in stored blocks`() throws {
        let model = try sample()
        let archive = ModelArchiver.archive(model)
        let cache = model.cachedModelData()
        #expect(cache.count == archive.count + 5)
        #expect(Array(cache.prefix(1)) == [1])
        #expect(cache.dropFirst(5) == archive)
        let long = Data(repeating: 7, count: 0x1_0001)
        let blocks = Deflate.stored(long)
        #expect(Array(blocks.prefix(5)) == [0, 0xFF, 0xFF, 0, 0])
        #expect(Array(blocks.dropFirst(5 + 0xFFFF).prefix(5)) == [1, 2, 0, 0xFD, 0xFF])
        #expect(blocks.count == long.count + 10)
    }
}
