import CoreDataModel
import Foundation
import Testing

struct ReadingErrorTests {
    private func error(_ inside: String) throws -> ModelError {
        try #require(throws: ModelError.self) { _ = try read(inside) }
    }

    @Test func `an attribute without a type names entity, property, line and column`() throws {
        let error = try error(
            """
            <entity name="Movie">
              <attribute name="title" optional="YES"/>
              <attribute name="year"
                attributeType="Undefined"/>
            </entity>
            """)
        #expect(error.findings.map(\.kind) == [.missingType, .missingType])
        #expect(error.entity == "Movie")
        #expect(error.property == "title")
        #expect(error.location == ModelError.Location(path: "M/contents", line: 4, column: 3))
        #expect(error.findings[1].location?.line == 6)
        #expect(error.findings[1].location?.column == 5)
        #expect(
            error.description.hasPrefix(
                "M/contents:4:3: Movie.title: the attribute has no type; write attributeType with "
                    + "one of \"Integer 16\", "))
    }

    @Test(arguments: [
        (
            #"<entity name="A"><attribute name="x" attributeType="Int"/></entity>"#,
            ModelError.Kind.unknownType, 38
        ),
        (#"<entity name="A"/><entity name="A"/>"#, .duplicateEntity, 27),
        (#"<entity name="A" kind="x"/>"#, .unknownAttribute, 18),
        (
            #"<entity name="A"><attribute name="x" attributeType="Date"/>"#
                + #"<relationship name="x"/></entity>"#,
            .duplicateProperty, 74
        ),
        (
            #"<entity name="A"><relationship name="b" destinationEntity="B"/></entity>"#,
            .unknownDestination, 41
        ),
        (#"<entity name="A"><relationship name="b"/></entity>"#, .missingDestination, 18),
        (
            #"<entity name="A"><relationship name="b" destinationEntity="A" inverseName="c"/>"#
                + #"</entity>"#,
            .unknownInverse, 63
        ),
        (
            #"<entity name="A"><relationship name="b" destinationEntity="A" inverseName="c"/>"#
                + #"<relationship name="c" destinationEntity="A" inverseName="d"/>"#
                + #"<relationship name="d" destinationEntity="A" inverseName="c"/></entity>"#,
            .inverseNotMutual, 18
        ),
        (
            #"<entity name="A">"#
                + #"<attribute name="x" attributeType="Integer 16" defaultValueString="70000"/>"#
                + "</entity>",
            .badDefaultValue, 65
        ),
        (
            #"<entity name="A">"#
                + #"<attribute name="x" attributeType="Double" maxValueString="1,5"/></entity>"#,
            .badValue, 61
        ),
        (
            #"<entity name="A"><relationship name="b" minCount="-1" destinationEntity="A"/>"#
                + #"</entity>"#,
            .badValue, 41
        ),
        (#"<entity name="A" isAbstract="maybe"/>"#, .badValue, 18),
        (#"<entity name="A" parentEntity="B"/>"#, .unknownSuperentity, 18),
        (
            #"<entity name="A" parentEntity="B"/><entity name="B" parentEntity="A"/>"#,
            .superentityCycle, 53
        ),
        (#"<entity/>"#, .missingName, 1),
        (#"<entity name="two words"/>"#, .badName, 1),
        (
            #"<entity name="A"><uniquenessConstraints><uniquenessConstraint>"#
                + #"<constraint value="z"/>"#
                + "</uniquenessConstraint></uniquenessConstraints></entity>",
            .unknownConstraintMember, 75
        ),
        (
            #"<entity name="A"><fetchIndex name="i"><fetchIndexElement property="z"/>"#
                + #"</fetchIndex></entity>"#,
            .unknownIndexMember, 58
        ),
        (#"<fetchRequest name="f" entity="A" predicateString="a =="/>"#, .badValue, 35),
        (#"<configuration name="C"><memberEntity name="A"/></configuration>"#, .unknownMember, 39),
    ])
    func `a mistake is reported at its location`(
        _ inside: String, _ kind: ModelError.Kind, _ column: Int
    ) throws {
        let error = try error(inside)
        #expect(error.kind == kind, "\(error)")
        #expect(error.location == ModelError.Location(path: "M/contents", line: 3, column: column))
        #expect(error.description.contains(";"), "says what to write instead: \(error)")
    }

    @Test func `a file that is not a model is refused with the reason`() throws {
        func kind(_ bytes: [UInt8]) throws -> String {
            let error = try #require(throws: ModelError.self) {
                _ = try NSManagedObjectModel.parse(Data(bytes), path: "f")
            }
            return "\(error.kind) \(error.location?.description ?? "")"
        }
        #expect(try kind([]) == "emptyFile f:1:1")
        #expect(try kind([0x61, 0x0A, 0x62, 0xFF]) == "notText f:2:2")
        #expect(try kind([0x61, 0x00]) == "notText f:1:2")
        #expect(try kind(Array("<plist/>".utf8)) == "notAModel f:1:1")
        #expect(try kind(Array("hello".utf8)).hasPrefix("notXML f:1:"))
        #expect(try kind(Array("<model>\n<entity></model>".utf8)).hasPrefix("notXML f:2:"))
        #expect(try kind(Array("<model>\n <entity a=b/>\n</model>".utf8)) == "notXML f:2:12")
    }

    @Test func `a missing file is refused with the reason`() throws {
        func kind(_ path: String) throws -> ModelError.Kind {
            try #require(throws: ModelError.self) {
                _ = try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: path))
            }.kind
        }
        #expect(try kind("/nowhere/A.xcdatamodeld") == .unreadableFile)
        #expect(try kind("/nowhere/A.xcdatamodel") == .unreadableFile)
    }

    @Test func `locations are right behind comments, several lines and non-ASCII letters`() throws {
        let error = try error(
            """
            <!-- <entity name="X"> --><entity name="Ä"
              ><attribute name='é' attributeType="No"/></entity>
            """)
        #expect(error.findings.map(\.property) == ["é"])
        #expect(error.location?.line == 4)
        #expect(error.location?.column == 24)
    }
}
