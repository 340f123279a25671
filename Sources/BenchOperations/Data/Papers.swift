import CoreData
import LabBench

/// A folder with a derived count of its papers.
final class Folder: NSManagedObject {
    override class var propertySlots: [String]? { ["name", "paperCount"] }
    override class var relationshipSlots: [String]? { ["papers"] }

    var name: String {
        get { read(0) }
        set { write(0, newValue) }
    }

    var paperCount: Int64 { read(1) }
}

/// A paper in a folder, with transformable and externally stored values.
final class Paper: NSManagedObject {
    override class var propertySlots: [String]? { ["folder", "note", "plain", "scan"] }

    var folder: Folder? {
        get { readObject(0) }
        set { writeObject(0, newValue) }
    }

    /// A value that a transformer converts to bytes.
    var note: String? {
        get { value(forKey: "note") as? String }
        set { setValue(newValue, forKey: "note") }
    }

    var plain: Data? {
        get { read(2) }
        set { write(2, newValue) }
    }

    /// A value that is stored in a separate file.
    var scan: Data? {
        get { read(3) }
        set { write(3, newValue) }
    }
}

/// Converts texts to their UTF-8 bytes.
private final class NoteTransformer: ValueTransformer {
    static let name = NSValueTransformerName("BenchNote")

    override class func allowsReverseTransformation() -> Bool { true }

    override func transformedValue(_ value: Any?) -> Any? {
        (value as? String).map { Data($0.utf8) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Folders. The operations insert the papers.
struct PaperLibrary: LibraryKind {
    func libraryFile(_ variant: WorkloadVariant) -> String { "papers-\(variant.shape.fileName)" }

    func model(_ variant: WorkloadVariant) -> NSManagedObjectModel {
        ValueTransformer.setValueTransformer(NoteTransformer(), forName: NoteTransformer.name)
        let folder = ModelParts.entity("Folder", Folder.self)
        let paper = ModelParts.entity("Paper", Paper.self)
        let papers = ModelParts.relationship("papers", to: paper, maxCount: 0)
        let inFolder = ModelParts.relationship("folder", to: folder, maxCount: 1)
        ModelParts.pair(papers, inFolder)
        let count = NSDerivedAttributeDescription()
        count.name = "paperCount"
        count.attributeType = .integer64AttributeType
        count.isOptional = true
        count.derivationExpression = NSExpression(format: "papers.@count")
        let note = ModelParts.attribute("note", .transformableAttributeType)
        note.valueTransformerName = NoteTransformer.name.rawValue
        let scan = ModelParts.attribute("scan", .binaryDataAttributeType)
        scan.allowsExternalBinaryDataStorage = true
        let plain = ModelParts.attribute("plain", .binaryDataAttributeType)
        for attribute in [note, scan, plain] { attribute.isOptional = true }
        folder.properties = [ModelParts.attribute("name", .stringAttributeType), count, papers]
        paper.properties = [note, plain, scan, inFolder]
        let model = NSManagedObjectModel()
        model.entities = [folder, paper]
        return model
    }

    func fill(_ context: NSManagedObjectContext, _ variant: WorkloadVariant) {
        for name in Dataset(variant.shape).names { Folder(context: context).name = name }
    }
}
