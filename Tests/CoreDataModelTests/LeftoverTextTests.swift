import CoreDataPredicate
import CoreDataTrace
import Foundation
import Synchronization
import Testing

@testable import CoreDataModel

/// Xcode leaves values behind after a change of an attribute's type. The tests also read the values
/// that Xcode writes for indexes.
struct LeftoverTextTests {
    private static let types = [
        "Integer 16", "Integer 64", "Decimal", "Double", "String", "Boolean", "Date", "Binary",
        "UUID", "URI", "Transformable",
    ]
    private static let texts = [
        ("defaultValueString", "NO"), ("defaultValueString", "0"), ("defaultValueString", "0.0"),
        ("defaultValueString", ""), ("defaultDateTimeInterval", "0"), ("minValueString", "1"),
        ("maxDateTimeInterval", "5"), ("regularExpressionString", "a+"),
        ("valueTransformerName", "X"), ("customClassName", "Y"),
    ]

    private func attribute(
        _ type: String, _ key: String, _ text: String
    ) throws -> (attribute: NSAttributeDescription, lines: [String]) {
        let lines = Mutex<[String]>([])
        // Each line is logged only once, so the name must be unique.
        let name = "x\(UInt64.random(in: 0 ... .max))"
        let model = try EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            try read(
                "<entity name=\"E\"><attribute name=\"\(name)\" optional=\"YES\" "
                    + "attributeType=\"\(type)\" \(key)=\"\(text)\"/></entity>")
        }
        try model.freeze()
        let found = try #require(model.entitiesByName["E"]?.attributesByName[name])
        return (found, lines.withLock { $0 })
    }

    @Test(arguments: types, texts)
    func `leftover text of another type does not make a model invalid`(
        _ type: String, _ text: (String, String)
    ) throws {
        let (attribute, _) = try attribute(type, text.0, text.1)
        for predicate in attribute.validationPredicates {
            // A validation predicate that the reader keeps can be evaluated with values of the
            // attribute's type.
            let value: Any =
                switch type {
                case "String": "aaaaa"
                case "Date": Date(timeIntervalSinceReferenceDate: 3)
                default: NSNumber(value: 1)
                }
            _ = try predicate.evaluateCore(with: value)
        }
    }

    @Test(arguments: [
        ("UUID", "defaultValueString", "0"), ("Binary", "defaultValueString", "NO"),
        ("Date", "defaultValueString", "NO"), ("Transformable", "defaultValueString", "0.0"),
        ("Double", "defaultDateTimeInterval", "60"), ("UUID", "minValueString", "1"),
        ("Boolean", "maxDateTimeInterval", "5"), ("Binary", "regularExpressionString", "a+"),
    ])
    func `a rule without a meaning for a type is reported and skipped`(
        _ type: String, _ key: String, _ text: String
    ) throws {
        let (attribute, lines) = try attribute(type, key, text)
        #expect(attribute.defaultValue == nil)
        #expect(attribute.validationPredicates.isEmpty)
        #expect(lines.count == 1)
        #expect(lines.first?.contains("\(key) \"\(text)\" is ignored") == true)
    }

    @Test func `limits of a truth value are kept`() throws {
        let (attribute, lines) = try attribute("Boolean", "minValueString", "1")
        #expect(attribute.validationPredicates.map(\.predicateFormat) == ["SELF >= 1"])
        #expect(lines == [])
    }

    @Test func `a default that cannot be a number stays an error`() {
        #expect(throws: ModelError.self) { try attribute("Integer 16", "defaultValueString", "x") }
        #expect(throws: ModelError.self) { try attribute("Double", "minValueString", "x") }
    }

    @Test func `nested composite types are an error`() {
        #expect(throws: ModelError.self) {
            try read(
                """
                <entity name="E">
                  <attribute name="a" optional="YES" attributeType="Composite" composite="A"/>
                </entity>
                <composite name="A">
                  <attribute name="b" optional="YES" attributeType="Composite" composite="B"/>
                </composite>
                <composite name="B">
                  <attribute name="a" optional="YES" attributeType="Composite" composite="A"/>
                </composite>
                """)
        }
    }

    // MARK: Indexes

    @Test func `settings that only Apple's services use are kept with the model`() throws {
        let model = try read(
            """
            <entity name="E">
              <attribute name="a" optional="YES" attributeType="String"
                spotlightIndexingEnabled="YES" allowsCloudEncryption="YES"/>
              <attribute name="b" optional="YES" attributeType="String" storedInTruthFile="YES"/>
            </entity>
            """)
        let copies = [
            model,
            try ModelUnarchiver.model(ModelArchiver.archive(model), path: "m"),
            try NSManagedObjectModel.parse(Data(ModelXML(model).text.utf8), path: "M/contents"),
            try #require(model.copy() as? NSManagedObjectModel),
        ]
        for copy in copies {
            let attributes = try #require(copy.entitiesByName["E"]?.attributesByName)
            let (a, b) = (try #require(attributes["a"]), try #require(attributes["b"]))
            #expect(a.isIndexedBySpotlight && a.allowsCloudEncryption)
            #expect(!a.isStoredInExternalRecord && b.isStoredInExternalRecord)
            #expect(!b.isIndexedBySpotlight && !b.allowsCloudEncryption)
            #expect(copy == model)
        }
    }

    private func indexed(_ index: String) throws -> NSManagedObjectModel {
        try read(
            """
            <entity name="E">
              <attribute name="name" optional="YES" attributeType="String"/>
              <attribute name="n" optional="YES" attributeType="Integer 32"/>
              \(index)
            </entity>
            """)
    }

    @Test func `an index may compute the values that it orders`() throws {
        let model = try indexed(
            """
            <fetchIndex name="by more" partialIndexPredicate="n &gt; 3">
              <fetchIndexElement expression="n + 1" type="Binary" order="descending"/>
              <fetchIndexElement expression="name" type="Binary" order="ascending"/>
              <fetchIndexElement property="lower" expression="lowercase:(name)" type="Binary"/>
            </fetchIndex>
            """)
        let copies = [
            model,
            try ModelUnarchiver.model(ModelArchiver.archive(model), path: "m"),
            try NSManagedObjectModel.parse(Data(ModelXML(model).text.utf8), path: "M/contents"),
        ]
        for copy in copies {
            let index = try #require(copy.entitiesByName["E"]?.indexes.first)
            #expect(index.name == "by more")
            #expect(index.partialIndexPredicate?.predicateFormat == "n > 3")
            let computed = index.elements.map { element in
                (element.property as? NSExpressionDescription)?.expression?.description
            }
            #expect(computed == ["n + 1", "name", "lowercase(name)"])
            #expect(index.elements.map(\.isAscending) == [false, true, true])
            try copy.freeze()
            let layout = try #require(copy.layout.entities.first?.indexes.first)
            #expect(layout.elements.map { $0.slot != nil } == [false, true, false])
        }
    }

    @Test(arguments: [
        #"<fetchIndex name="i"><fetchIndexElement expression="n +" type="Binary"/></fetchIndex>"#,
        #"<fetchIndex name="i" partialIndexPredicate="n >"><fetchIndexElement property="n"/>"#
            + "</fetchIndex>",
        #"<fetchIndex name="i"><fetchIndexElement property="z"/></fetchIndex>"#,
    ])
    func `an index with an unreadable expression is an error`(_ index: String) {
        #expect(throws: ModelError.self) { try indexed(index) }
    }
}
