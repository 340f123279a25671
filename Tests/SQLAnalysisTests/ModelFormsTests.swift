import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import SQLAnalysis
import TestSupport
import Testing

/// Tests of converting models to other forms, and of comparing model versions.
@Suite struct ModelFormsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, _ entities: String) throws -> String {
        let url = folder.url.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("<model>\(entities)</model>".utf8).write(
            to: url.appendingPathComponent("contents"))
        return url.path
    }

    private static let library = """
        <entity name="Book" representedClassName="Book" elementID="Volume">
          <attribute name="title" attributeType="String" defaultValueString="a &quot;b&quot; &lt;"
            minValueString="1" maxValueString="80" regularExpressionString="a.*"/>
          <attribute name="printed" optional="YES" attributeType="Date"
            defaultDateTimeInterval="1000" minDateTimeInterval="5"/>
          <attribute name="pages" optional="YES" attributeType="Integer 16" minValueString="3"/>
          <attribute name="loud" optional="YES" attributeType="String" derived="YES"
            derivationExpression="uppercase:(title)"/>
          <attribute name="mood" optional="YES" transient="YES" attributeType="Transformable"/>
          <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
          <relationship name="author" maxCount="1" destinationEntity="Author" inverseName="books"
            inverseEntity="Author" deletionRule="Nullify"/>
          <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary"
            order="descending"/></fetchIndex>
          <uniquenessConstraints><uniquenessConstraint><constraint value="title"/>
          </uniquenessConstraint></uniquenessConstraints>
          <userInfo><entry key="k" value="v"/></userInfo>
        </entity>
        <entity name="Author" isAbstract="YES">
          <relationship name="books" optional="YES" toMany="YES" ordered="YES" minCount="1"
            destinationEntity="Book" inverseName="author" inverseEntity="Book"
            deletionRule="Deny"/>
        </entity>
        <entity name="Poet" parentEntity="Author"/>
        <composite name="Place"><attribute name="shelf" optional="YES" attributeType="Integer 32"
          defaultValueString="4"/></composite>
        <fetchRequest name="all" entity="Book" predicateString="pages &gt; $MIN" fetchLimit="3"/>
        <configuration name="Main"><memberEntity name="Book"/></configuration>
        """

    private static let forms = ["mom", "momd", "xcdatamodel", "xcdatamodeld"]

    /// The description as JSON without warnings. Only the source form of a model has locations for
    /// warnings.
    private func fields(_ path: String) throws -> NSDictionary {
        let json = try ModelDescriber(path: path).json()
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return try #require(read).filter { $0.key != "warnings" } as NSDictionary
    }

    @Test(arguments: [
        (
            "<attribute name=\"name\" attributeType=\"String\" defaultValueString=\"a\""
                + " minValueString=\"2\"/>", "Book.name has a default value"
        ),
        (
            "<attribute name=\"mood\" optional=\"YES\" attributeType=\"Transformable\"/>",
            "Book.mood is using a nil or insecure transformer"
        ),
        (
            "<attribute name=\"hash\" optional=\"YES\" attributeType=\"String\"/>",
            "Book.hash has a name that every object has"
        ),
        (
            "<relationship name=\"next\" maxCount=\"1\" destinationEntity=\"Book\""
                + " deletionRule=\"No Action\" optional=\"YES\"/>",
            "Book.next should have an inverse"
        ),
    ])
    func `a warning has the location of its subject`(line: String, warning: String) throws {
        let path = try write("Odd", "\n<entity name=\"Book\">\n \(line)</entity>")
        let found = try ModelDescriber(path: path).warnings
        #expect(found.first?.hasPrefix("\(path)/contents:3:2: warning: \(warning)") == true)
        let good = try write(
            "Good",
            "<entity name=\"Book\"><attribute name=\"name\" attributeType=\"String\"/></entity>")
        #expect(try ModelDescriber(path: good).warnings.isEmpty)
    }

    @Test(arguments: forms)
    func `every form has the same description`(form: String) throws {
        let source = try write("Library", Self.library)
        let made = folder.path("Made.\(form)")
        #expect(try ModelConverter(path: source).write(to: made).isEmpty)
        #expect(try ModelDescriber(path: made).text == ModelDescriber(path: source).text)
        #expect(try fields(made) == fields(source))
        let models = try [source, made].map {
            try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: $0))
        }
        #expect(models[0].entityVersionHashesByName == models[1].entityVersionHashesByName)
        let rules = try models.map { model in
            try #require(model.entitiesByName["Book"]).attributesByName.mapValues {
                $0.validationPredicates.map(\.description).sorted()
                    + $0.validationWarnings.map { "\($0)" }.sorted()
            }
        }
        #expect(rules[0] == rules[1] && rules[0]["title"]?.count == 6)
        #expect(models[1].fetchRequestTemplate(forName: "all")?.fetchLimit == 3)
        #expect(throws: (any Error).self) { try ModelConverter(path: source).write(to: made) }
    }

    @Test func `an unknown extension is refused with the list of known ones`() throws {
        let source = try write("Library", Self.library)
        let error = #expect(throws: (any Error).self) {
            try ModelConverter(path: source).write(to: folder.path("made.txt"))
        }
        #expect("\(error as Any)".contains(".xcdatamodeld"))
    }

    @Test func `a rule that no model file can express is reported as left out`() throws {
        let model = NSManagedObjectModel()
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        title.setValidationPredicates(
            [.init(format: "SELF CONTAINS 'a'")], withValidationWarnings: ["no a"])
        let book = NSEntityDescription()
        book.name = "Book"
        book.properties = [title]
        model.entities = [book]
        let compiled = folder.url.appendingPathComponent("Rules.mom")
        try model.compiledData().write(to: compiled)
        let omitted = try ModelConverter(path: compiled.path)
            .write(to: folder.path("Rules.xcdatamodel"))
        #expect(omitted.count == 1 && omitted[0].contains("Book.title"))
    }

    @Test func `a comparison of two versions says what a migration would do`() throws {
        let old = try write(
            "Old",
            """
            <entity name="Book"><attribute name="name" optional="YES" attributeType="String"/>
              <attribute name="odd" optional="YES" attributeType="Integer 16"/></entity>
            """)
        let new = try write(
            "New",
            """
            <entity name="Book">
              <attribute name="title" optional="YES" attributeType="String" elementID="name"/>
              </entity><entity name="Shelf"/>
            """)
        var comparison = try ModelComparison(path: old, with: new)
        let text = try comparison.text()
        #expect(comparison.isInferable)
        #expect(text.contains("~ Book.name: String\n  Book.title: String, was name"))
        #expect(text.contains("- Book.odd") && text.contains("+ Shelf"))
        #expect(text.contains("RENAME TO ZSHELF"))
        var same = try ModelComparison(path: old, with: old)
        #expect(try same.text().contains("opens with the other without a migration"))
        let text2 = try write(
            "Other",
            "<entity name=\"Book\"><attribute name=\"name\" attributeType=\"Date\"/></entity>")
        var other = try ModelComparison(path: old, with: text2)
        let reason = try other.text()
        #expect(!other.isInferable && reason.contains("no migration can be inferred"))
    }

    @Test(.enabled(if: RealStores.folder != nil, RealStores.areMissing))
    func `the models of real apps go through every form unchanged`() throws {
        let data = try #require(RealStores.folder).appendingPathComponent("models").path
        var count = 0
        for path in SurveyFiles(folder: data).modelVersions() {
            let source = "\(data)/\(path)"
            let described = try ModelDescriber(path: source).text
            for form in ["mom", "xcdatamodel"] {
                let made = folder.path("\(count).\(form)")
                _ = try ModelConverter(path: source).write(to: made)
                #expect(try ModelDescriber(path: made).text == described, "\(path) as \(form)")
            }
            count += 1
        }
        #expect(count > 100)
    }
}
