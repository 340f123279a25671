import CoreDataModel
import Foundation

/// The text of XML stores, as Core Data writes it.
///
/// Each object is an element with an id such as `z1`. Names of entities are in upper case, those of
/// properties in lower case. The format contains no row versions, so all rows have version 1 after
/// opening.
struct XMLStoreFormat: WholeFileFormat {
    package var type: String { NSXMLStoreType }

    package func claims(_ data: Data) -> Bool {
        let start = String(decoding: data.prefix(512), as: UTF8.self)
        return start.hasPrefix("<?xml") && start.contains("<!DOCTYPE database")
    }

    // MARK: Writing

    package func data(for document: MemoryDocument) throws(CoreDataError) -> Data {
        let content = document.content
        let names = XMLNames(content.layout)
        var text = try head(document.metadata, lastKey: content.lastKey)
        for entity in content.layout.entities {
            for key in content.keys(of: entity, includesSubentities: false) {
                guard let row = content.rows[entity.rootIndex][key] else { continue }
                try write(row, key, names, content, into: &text)
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
        let decoded = try MemoryMetadata.writable(values)
        // Foundation writes control characters unescaped, but XML does not allow them.
        guard
            let data = try? PropertyListSerialization.data(
                fromPropertyList: decoded as [String: Any], format: .xml, options: 0),
            !data.contains(where: { $0 < 32 && ![9, 10, 13].contains($0) })
        else {
            throw CoreDataError(
                .invalidArgument,
                "Store metadata holds a value that XML cannot contain, such as a control"
                    + " character; use other strings.")
        }
        let text = String(decoding: data, as: UTF8.self)
        return text.range(of: "<plist").map { String(text[$0.lowerBound...]) } ?? ""
    }

    private func write(
        _ row: MemoryContent.Row, _ key: Int64, _ names: XMLNames, _ content: MemoryContent,
        into text: inout String
    ) throws(CoreDataError) {
        let entity = content.layout[row.entity]
        let stored = try StoredRow(row, key, content)
        text += "    <object type=\"\(names.name(of: entity.index))\" id=\"z\(key)\">\n"
        for (index, slot) in entity.values.enumerated() where !slot.isTransient {
            let name = names.values(of: entity)[index]
            let value = stored.values[index]
            if let toOne = slot.toOne {
                var ids: [ObjectKey] = []
                if case .reference(let key) = value { ids = [key] }
                text += relationship(name, "1/1", names.name(of: toOne.destinationIndex), ids)
            } else if let (type, value) = XMLValue.text(of: value, slot.kind) {
                text += "        <attribute name=\"\(name)\" type=\"\(type)\">"
                text += "\(Self.escaped(value))</attribute>\n"
            }
        }
        for (index, slot) in entity.toMany.enumerated() where !slot.isTransient {
            text += relationship(
                names.toMany(of: entity)[index], "0/0", names.name(of: slot.destinationIndex),
                stored.members[index])
        }
        text += "    </object>\n"
    }

    private func relationship(
        _ name: String, _ arity: String, _ destination: String, _ ids: [ObjectKey]
    ) -> String {
        let references = ids.map { "z\($0.key)" }.joined(separator: " ")
        let idrefs = ids.isEmpty ? "" : " idrefs=\"\(references)\""
        return "        <relationship name=\"\(name)\" type=\"\(arity)\" destination="
            + "\"\(destination)\"\(idrefs)></relationship>\n"
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

    // MARK: Reading

    package func document(
        from data: Data, layout: ModelLayout
    ) throws(FileFinding) -> MemoryDocument {
        var reader = XMLStoreReader(data)
        let head = try reader.head()
        var builder = ContentBuilder(layout: layout)
        try reader.objects(XMLNames(layout), into: &builder)
        let (next, offset) = head.nextKey ?? (1, 0)
        return MemoryDocument(
            content: try builder.finish(lastKey: next - 1, at: offset), metadata: metadata(head))
    }

    package func metadata(from data: Data) throws(FileFinding) -> MemoryMetadata {
        var end = data.endIndex
        while end > data.startIndex, [9, 10, 13, 32].contains(data[end - 1]) { end -= 1 }
        let closing = Data("</database>".utf8)
        guard data[..<end].suffix(closing.count) == closing else {
            throw FileFinding(data.count, "the file is cut off: it does not end with </database>")
        }
        var reader = XMLStoreReader(data)
        return metadata(try reader.head())
    }

    package func verify(_ data: Data) throws(FileFinding) {
        var reader = XMLStoreReader(data)
        _ = try reader.head()
        try reader.skipObjects()
    }

    private func metadata(_ head: XMLStoreReader.Head) -> MemoryMetadata {
        MemoryMetadata(
            identifier: head.identifier ?? "", type: type, values: head.metadata ?? [:])
    }

    package func replacing(
        _ metadata: MemoryMetadata, in data: Data
    ) throws(CoreDataError) -> Data {
        var reader = XMLStoreReader(data)
        guard let range = try? reader.head().metadataRange else { return data }
        let plist = Data(try Self.plist(metadata.values).utf8)
        let bytes = Array(data)
        return Data(bytes[..<range.lowerBound]) + plist + Data(bytes[range.upperBound...])
    }

    package func place(of offset: Int, in data: Data) -> String {
        var (line, column) = (1, 1)
        for byte in data.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                column += 1
            }
        }
        return ":\(line):\(column)"
    }
}
