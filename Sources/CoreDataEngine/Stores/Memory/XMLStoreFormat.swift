import CoreDataModel
import Foundation

/// XML stores as text, in the form that Core Data's own have: one element for each object, ids
/// `z1`, `z2`, …, names of entities in upper case and of properties in lower case.
///
/// Rows have no versions there, so each opening begins at version 1. `WholeFile` uses it.
struct XMLStoreFormat: WholeFileFormat {
    var type: String { NSXMLStoreType }

    func claims(_ data: Data) -> Bool {
        let start = String(decoding: data.prefix(512), as: UTF8.self)
        return start.hasPrefix("<?xml") && start.contains("<!DOCTYPE database")
    }

    // MARK: Writing

    func data(for document: MemoryDocument) throws(CoreDataError) -> Data {
        let content = document.content
        var text = try head(document.metadata, lastKey: content.lastKey)
        for entity in content.layout.entities {
            let names = XMLPropertyNames(entity)
            for key in content.keys(of: entity, includesSubentities: false) {
                guard let row = content.rows[entity.rootIndex][key] else { continue }
                write(row, key, names, content, into: &text)
            }
        }
        text += "</database>\n"
        return Data(text.utf8)
    }

    private func head(_ metadata: MemoryMetadata, lastKey: Int64) throws(CoreDataError) -> String {
        """
        <?xml version="1.0"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>\(Self.escaped(metadata.identifier))</UUID>
                <nextObjectID>\(lastKey + 1)</nextObjectID>
                <metadata>\(try Self.plist(metadata.values))</metadata>
            </databaseInfo>

        """
    }

    private static func plist(_ values: [String: any Sendable]) throws(CoreDataError) -> String {
        let binary = try StoreMetadata.encode(values)
        let decoded = StoreMetadata.decode(binary)
        guard
            let data = try? PropertyListSerialization.data(
                fromPropertyList: decoded as [String: Any], format: .xml, options: 0)
        else {
            throw CoreDataError(
                .invalidArgument, "Store metadata holds a value that XML cannot; use strings.")
        }
        let text = String(decoding: data, as: UTF8.self)
        return text.range(of: "<plist").map { String(text[$0.lowerBound...]) } ?? ""
    }

    private func write(
        _ row: MemoryContent.Row, _ key: Int64, _ names: XMLPropertyNames,
        _ content: MemoryContent, into text: inout String
    ) {
        let entity = content.layout[row.entity]
        text += "    <object type=\"\(entity.name.uppercased())\" id=\"z\(key)\">\n"
        for (index, slot) in entity.values.enumerated() where !slot.isTransient {
            if let toOne = slot.toOne {
                var ids: [ObjectKey] = []
                if case .reference(let key) = row.values[index] { ids = [key] }
                text += relationship(
                    names.values[index], "1/1", content.layout[toOne.destinationIndex], ids)
            } else if let (type, value) = Self.text(of: row.values[index], slot.kind) {
                text += "        <attribute name=\"\(names.values[index])\" type=\"\(type)\">"
                text += "\(Self.escaped(value))</attribute>\n"
            }
        }
        for (index, slot) in entity.toMany.enumerated() where !slot.isTransient {
            text += relationship(
                names.toMany[index], "0/0", content.layout[slot.destinationIndex],
                row.members[index])
        }
        text += "    </object>\n"
    }

    private func relationship(
        _ name: String, _ arity: String, _ destination: EntityLayout, _ ids: [ObjectKey]
    ) -> String {
        let references = ids.map { "z\($0.key)" }.joined(separator: " ")
        let idrefs = ids.isEmpty ? "" : " idrefs=\"\(references)\""
        return "        <relationship name=\"\(name)\" type=\"\(arity)\" destination="
            + "\"\(destination.name.uppercased())\"\(idrefs)></relationship>\n"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The type's name and the value as text; nil for null.
    private static func text(of value: Value, _ kind: ValueKind) -> (String, String)? {
        switch value {
        case .null, .reference: return nil
        case .integer(let integer):
            switch kind {
            case .integer16: return ("int16", "\(integer)")
            case .integer32: return ("int32", "\(integer)")
            case .boolean: return ("bool", "\(integer)")
            default: return ("int64", "\(integer)")
            }
        case .double(let double):
            return (kind == .date ? "date" : kind == .float ? "float" : "double", "\(double)")
        case .string(let text):
            if kind == .uri { return ("uri", text) }
            // XML has no way to write control characters.
            let isPlain = text.unicodeScalars.allSatisfy {
                $0.value >= 32 && $0.value < 0xFFFE || [9, 10, 13].contains($0.value)
                    || $0.value > 0xFFFF
            }
            return isPlain
                ? ("string", text) : ("base64", Data(text.utf8).base64EncodedString())
        case .data(let data): return ("binary", data.base64EncodedString())
        case .uuid(let uuid): return ("uuid", uuid.uuidString)
        case .decimal(let decimal): return ("decimal", decimal.description)
        }
    }

    // MARK: Reading

    func document(
        from data: Data, layout: ModelLayout, path: String
    ) throws(CoreDataError) -> MemoryDocument {
        let metadata = try metadata(from: data, path: path)
        var content = MemoryContent(layout: layout)
        let objects = try XMLStoreReader.objects(in: data, layout: layout, path: path)
        // The file names destinations by the relationship's entity; the object knows its own.
        func rooted(_ entity: Int, _ key: Int64) -> ObjectKey {
            ObjectKey(entity: layout[entity].rootIndex, key: key)
        }
        let entities = Dictionary(
            objects.map { (rooted($0.row.entity, $0.key), $0.row.entity) },
            uniquingKeysWith: { first, _ in first })
        func exact(_ key: ObjectKey) -> ObjectKey {
            let entity = entities[rooted(Int(key.entity), key.key)]
            return ObjectKey(entity: entity ?? Int(key.entity), key: key.key)
        }
        for var object in objects {
            for (slot, value) in object.row.values.enumerated() {
                if case .reference(let key) = value {
                    object.row.values[slot] = .reference(exact(key))
                }
            }
            object.row.members = object.row.members.map { $0.map(exact) }
            content.insert(object.row, key: object.key)
        }
        if let next = Self.element("nextObjectID", in: data).flatMap({ Int64($0) }) {
            content.lastKey = max(content.lastKey, next - 1)
        }
        return MemoryDocument(content: content, metadata: metadata)
    }

    func metadata(from data: Data, path: String) throws(CoreDataError) -> MemoryMetadata {
        guard claims(data), let identifier = Self.element("UUID", in: data),
            let plist = Self.element("metadata", in: data)
        else {
            throw StoreFile.error(
                .fileReadCorrupt, path, "is no XML store; restore it from a copy")
        }
        return MemoryMetadata(
            identifier: identifier, type: type,
            values: StoreMetadata.decode(Data("<?xml version=\"1.0\"?>\(plist)".utf8)))
    }

    func replacing(
        _ metadata: MemoryMetadata, in data: Data, path: String
    ) throws(CoreDataError) -> Data {
        _ = try self.metadata(from: data, path: path)
        let text = String(decoding: data, as: UTF8.self)
        guard let start = text.range(of: "<metadata>"), let end = text.range(of: "</metadata>")
        else { return data }
        let plist = try Self.plist(metadata.values)
        return Data((text[..<start.upperBound] + plist + text[end.lowerBound...]).utf8)
    }

    /// The inside of an element of the head.
    private static func element(_ name: String, in data: Data) -> String? {
        // The head comes before the first object.
        guard let end = data.range(of: Data("</databaseInfo>".utf8)) else { return nil }
        let head = String(decoding: data[data.startIndex..<end.lowerBound], as: UTF8.self)
        guard let start = head.range(of: "<\(name)>"), let end = head.range(of: "</\(name)>"),
            start.upperBound <= end.lowerBound
        else { return nil }
        return String(head[start.upperBound..<end.lowerBound])
    }
}

/// The names of an entity's properties as XML stores have them: in lower case, unless two would
/// then be alike.
struct XMLPropertyNames {
    let values: [String]
    let toMany: [String]

    init(_ entity: EntityLayout) {
        let all = entity.values.map(\.name) + entity.toMany.map(\.name)
        let counts = Dictionary(all.map { ($0.lowercased(), 1) }, uniquingKeysWith: +)
        func name(_ name: String) -> String {
            counts[name.lowercased()] == 1 ? name.lowercased() : name
        }
        values = entity.values.map { name($0.name) }
        toMany = entity.toMany.map { name($0.name) }
    }
}
