import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import TestSupport
import Testing

@testable import CoreDataEngine

/// The mapping editor generates value expressions for key paths, mapping names and filters.
struct GeneratedExpressionTests {
    private static let body = #"<attribute name="body" attributeType="String"/>"#
    private static let old =
        #"<model><entity name="Note">\#(body)<attribute name="picture" optional="YES" "#
        + #"attributeType="String"/></entity></model>"#
    private static let new =
        #"<model><entity name="Attachment"><attribute name="picture" attributeType="String"/>"#
        + #"<relationship name="note" optional="YES" maxCount="1" deletionRule="Nullify" "#
        + #"destinationEntity="Note" inverseName="attachments" inverseEntity="Note"/></entity>"#
        + #"<entity name="Note">\#(body)<relationship name="attachments" optional="YES" "#
        + #"toMany="YES" deletionRule="Cascade" destinationEntity="Attachment" "#
        + #"inverseName="note" inverseEntity="Attachment"/></entity></model>"#

    private let fixture: MigrationFixture

    init() throws { fixture = try MigrationFixture() }

    private func attribute(_ name: String, _ value: String, _ type: String = "string") -> String {
        "<attribute name=\"\(name)\" type=\"\(type)\">\(value)</attribute>"
    }

    private func entity(
        _ id: String, _ name: String, _ more: String, _ attributes: String, _ relationships: String
    ) -> String {
        "<object type=\"XDDEVENTITYMAPPING\" id=\"\(id)\">\(attribute("sourcename", "Note"))"
            + attribute("destinationname", name) + attribute("mappingnumber", id.suffix(1) + "")
            + attribute("autogenerateexpression", "1", "bool") + more
            + "<relationship name=\"attributemappings\" idrefs=\"\(attributes)\"/>"
            + "<relationship name=\"relationshipmappings\" idrefs=\"\(relationships)\"/></object>"
    }

    private func property(_ kind: String, _ id: String, _ name: String, _ more: String = "")
        -> String
    {
        "<object type=\"XDDEV\(kind)MAPPING\" id=\"\(id)\">"
            + "\(attribute("name", name))\(more)</object>"
    }

    /// Writes a mapping model that converts a note with a picture to a note with an attachment.
    private func write(
        filter: String = "picture != nil", path: String? = "$source",
        mapping: String? = "NoteToNote", more: String = ""
    ) throws -> URL {
        let url = fixture.folder.url.appendingPathComponent("Notes.xcmappingmodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let models = [("source", Self.old), ("destination", Self.new)].map { role, text in
            attribute("\(role)modeldata", Data(text.utf8).base64EncodedString(), "binary")
        }
        let link =
            (path.map { attribute("sourcekeypath", $0) } ?? "")
            + (mapping.map { attribute("sourcemappingname", $0) } ?? "") + more
        let text =
            "<?xml version=\"1.0\"?><database><object type=\"XDDEVMAPPINGMODEL\" id=\"z0\">"
            + models.joined()
            + "<relationship name=\"entitymappings\" idrefs=\"z1 z2\"/></object>"
            + entity(
                "z1", "Attachment", attribute("sourcefilterpredicatestring", filter), "z3", "z5")
            + entity("z2", "Note", "", "z4", "") + property("ATTRIBUTE", "z3", "picture")
            + property("ATTRIBUTE", "z4", "body") + property("RELATIONSHIP", "z5", "note", link)
            + "</database>"
        try text.write(
            to: url.appendingPathComponent("xcmapping.xml"), atomically: true, encoding: .utf8)
        return url
    }

    @Test func `a filter chooses the objects, and a key path and a mapping define the links`()
        throws
    {
        let old = try NSManagedObjectModel.parse(Data(Self.old.utf8), path: "old")
        let new = try NSManagedObjectModel.parse(Data(Self.new.utf8), path: "new")
        try fixture.use(old) { context in
            make("Note", context, ["body": "with", "picture": "p1"])
            make("Note", context, ["body": "without"])
        }
        let mapping = try #require(NSMappingModel(contentsOf: try write()))
        let target = fixture.folder.url.appendingPathComponent("New.sqlite")
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: fixture.url, sourceType: NSSQLiteStoreType, with: mapping,
            toDestinationURL: target, destinationType: NSSQLiteStoreType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: target)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            #expect(try values("Note", "body", context) == ["with", "without"])
            #expect(try values("Attachment", "picture", context) == ["p1"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Attachment")
            let attachment = try #require(try context.fetch(request).first)
            #expect(attachment.value(forKeyPath: "note.body") as? String == "with")
        }
        // Compiling and reading does not change the mapping model.
        let file = fixture.folder.url.appendingPathComponent("Notes.cdm")
        try mapping.compiledData().write(to: file)
        #expect(NSMappingModel(contentsOf: file) == mapping)
    }

    @Test func `a mapping without a key path uses the relationship of the same name`() throws {
        for (path, mapping, expected) in [
            (nil, "NoteToNote", "'NoteToNote', $source.note"),
            ("$source.pictures", nil, "\"pictures\", $source.pictures"),
            ("pictures", "NoteToNote", "\"NoteToNote\", $source.pictures"),
        ] as [(String?, String?, String)] {
            let mappings = try NSMappingModel.read(try write(path: path, mapping: mapping))
            let note = mappings[0].relationshipMappings?.first?.valueExpression
            let text = "\(note as Any)".replacing("\"", with: "'")
            #expect(text.contains(expected.replacing("\"", with: "'")), "\(text)")
        }
    }

    @Test func `D-076 an attribute that is not understood is an error that names it`() throws {
        func message(_ url: URL) -> String {
            do throws(CoreDataError) {
                _ = try NSMappingModel.read(url)
                return "nothing"
            } catch {
                return error.message
            }
        }
        #expect(message(try write(filter: "picture ==")).contains("is not a predicate"))
        #expect(message(try write(mapping: "Other")).contains("the mapping 'Other'"))
        #expect(message(try write(path: "$other.x")).contains("is not a key path"))
        let more = attribute("sourcekeyword", "x")
        #expect(message(try write(more: more)).contains("'sourcekeyword' is unknown in the"))
    }
}
