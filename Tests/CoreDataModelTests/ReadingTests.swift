import CoreDataModel
import CoreDataPredicate
import Foundation
import Testing

/// Reads a model file with this content of the `<model>` element.
func read(_ inside: String) throws -> NSManagedObjectModel {
    let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        \(inside)
        </model>
        """
    return try NSManagedObjectModel.parse(Data(text.utf8), path: "M/contents")
}

struct ReadingTests {
    @Test func `attributes have their types, defaults and rules`() throws {
        let model = try read(
            """
            <entity name="Movie" representedClassName=".Movie">
              <attribute name="year" attributeType="Integer 16" defaultValueString="-3"/>
              <attribute name="price" optional="YES" attributeType="Decimal"
                defaultValueString="1.25"/>
              <attribute name="seen" attributeType="Boolean" defaultValueString="YES"/>
              <attribute name="at" attributeType="Date" defaultDateTimeInterval="60"/>
              <attribute name="title" attributeType="String" minValueString="1" maxValueString="9"
                regularExpressionString="[a-z]+" elementID="name" versionHashModifier="2"/>
              <attribute name="id" attributeType="UUID"
                defaultValueString="00000000-0000-0000-0000-000000000001"/>
              <attribute name="link" attributeType="URI" defaultValueString="https://a.example"/>
            </entity>
            """)
        let movie = try #require(model.entitiesByName["Movie"])
        #expect(movie.managedObjectClassName == "Movie")
        let attributes = movie.attributesByName
        #expect(attributes["year"]?.defaultConstant == .integer(-3))
        #expect(attributes["year"]?.defaultValue as? Int == -3)
        #expect(attributes["price"]?.defaultConstant == .decimal(Decimal(125) / 100))
        #expect(attributes["price"]?.isOptional == true)
        #expect(attributes["seen"]?.defaultConstant == .boolean(true))
        #expect(attributes["seen"]?.isOptional == false)
        #expect(
            attributes["at"]?.defaultConstant == .date(Date(timeIntervalSinceReferenceDate: 60)))
        #expect(attributes["id"]?.attributeValueClassName == "NSUUID")
        let link = try #require(URL(string: "https://a.example"))
        #expect(attributes["link"]?.defaultConstant == .uri(link))
        let title = try #require(attributes["title"])
        #expect(title.renamingIdentifier == "name")
        #expect(title.versionHashModifier == "2")
        #expect(title.validationWarnings as? [String] == ["1670", "1660", "1680"])
        #expect(
            title.validationPredicates.map(\.predicateFormat) == [
                "length >= 1", "length <= 9", "SELF MATCHES \"[a-z]+\"",
            ])
        try model.freeze()
        #expect(model.layout.entities.map(\.name) == ["Movie"])
    }

    @Test func `relationships, indexes, constraints and configurations are linked`() throws {
        let model = try read(
            """
            <entity name="Author">
              <attribute name="name" attributeType="String" indexed="YES"/>
              <relationship name="books" toMany="YES" ordered="YES" deletionRule="Cascade"
                minCount="1" maxCount="5" destinationEntity="Book" inverseName="author"/>
              <uniquenessConstraints>
                <uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
              </uniquenessConstraints>
              <userInfo><entry key="a" value="b"/></userInfo>
            </entity>
            <entity name="Book" isAbstract="YES">
              <attribute name="title" attributeType="String"/>
              <relationship name="author" optional="YES" maxCount="1" deletionRule="Deny"
                destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
              <fetchIndex name="byTitle">
                <fetchIndexElement property="title" type="Binary" order="descending"/>
              </fetchIndex>
            </entity>
            <entity name="Novel" parentEntity="Book"/>
            <fetchRequest name="named" entity="Book" predicateString="title == $T" fetchLimit="3"/>
            <configuration name="Small"><memberEntity name="Author"/></configuration>
            """)
        let author = try #require(model.entitiesByName["Author"])
        let book = try #require(model.entitiesByName["Book"])
        let books = try #require(author.relationshipsByName["books"])
        #expect(books.destinationEntity === book)
        #expect(books.inverseRelationship === book.relationshipsByName["author"])
        #expect(books.inverseRelationship?.deleteRule == .denyDeleteRule)
        #expect(books.minCount == 1)
        #expect(books.maxCount == 5)
        #expect(books.isOrdered)
        #expect(author.userInfo?["a"] as? String == "b")
        #expect(author.indexes.map(\.name) == ["byName"])
        #expect(author.uniquenessConstraints as? [[String]] == [["name"]])
        #expect(book.isAbstract)
        #expect(book.indexes.first?.elements.first?.isAscending == false)
        #expect(model.entitiesByName["Novel"]?.superentity === book)
        #expect(model.configurations == ["Small"])
        #expect(model.entities(forConfigurationName: "Small")?.map(\.name) == ["Author"])
        #expect(model.entities(forConfigurationName: "Large") == nil)
        #expect(model.entities(forConfigurationName: nil)?.count == 3)
        #expect(model.fetchRequestSources["named"]?.fetchLimit == 3)
        #expect(model.fetchRequestSources["named"]?.predicateFormat == "title == $T")
        #expect(model.map(\.name) == ["Author", "Book", "Novel"])
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)))
    func `every real model can be read`() throws {
        let folders = Fixtures.versionFolders
        #expect(folders.count == 103)
        for folder in folders {
            #expect(throws: Never.self, "\(folder.path)") {
                _ = try NSManagedObjectModel.load(contentsOf: folder)
            }
        }
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)))
    func `real models freeze unless they use unsupported features`() throws {
        for folder in Fixtures.versionFolders {
            let model = try NSManagedObjectModel.load(contentsOf: folder)
            do throws(ModelError) {
                try model.freeze()
            } catch {
                let others = error.findings.filter { $0.kind != .unsupported }
                #expect(others.isEmpty, "\(error)")
            }
        }
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.areMissing)))
    func `a folder of versions loads the current one, or the named one`() throws {
        let url = Fixtures.model("duckduckgo-BrowserServicesKit/BookmarksModel.xcdatamodeld")
        let current = try NSManagedObjectModel.load(contentsOf: url)
        let first = try NSManagedObjectModel.load(contentsOf: url, version: "BookmarksModel")
        let bookmark = try #require(current.entitiesByName["BookmarkEntity"])
        #expect(bookmark.relationshipsByName["favoriteFolders"] != nil)
        try first.freeze()
        #expect(
            columns(first.layout, of: "ZBOOKMARKENTITY") == [
                "ZISFAVORITE", "ZISFOLDER", "ZFAVORITEFOLDER", "ZPARENT", "Z_FOK_FAVORITEFOLDER",
                "Z_FOK_PARENT", "ZTITLE", "ZURL", "ZUUID",
            ])
        let error = try #require(throws: ModelError.self) {
            _ = try NSManagedObjectModel.load(contentsOf: url, version: "Bookmarks 9")
        }
        #expect(error.kind == .noSuchVersion)
        #expect(error.description.contains("choose one of BookmarksModel, BookmarksModel 2,"))
    }
}
