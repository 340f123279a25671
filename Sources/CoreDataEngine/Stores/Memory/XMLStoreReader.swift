import CoreDataModel
import Foundation
import FoundationXML

/// Reads the objects of an XML store; `XMLStoreFormat` calls it.
///
/// Unknown entities and properties are passed over, as the version hashes were asked before.
final class XMLStoreReader: NSObject, XMLParserDelegate {
    struct Object {
        let key: Int64
        var row: MemoryContent.Row
    }

    private let layout: ModelLayout
    private let entities: [String: (entity: EntityLayout, names: XMLPropertyNames)]
    private var objects: [Object] = []
    private var current: Object?
    private var attribute: (slot: Int, type: String)?
    private var text = ""
    private var failure: (line: Int, column: Int, text: String)?

    private init(_ layout: ModelLayout) {
        self.layout = layout
        entities = Dictionary(
            layout.entities.map { ($0.name.uppercased(), ($0, XMLPropertyNames($0))) },
            uniquingKeysWith: { first, _ in first })
    }

    static func objects(
        in data: Data, layout: ModelLayout, path: String
    ) throws(CoreDataError) -> [Object] {
        // Foundation's parser ends the process at bytes that are no text.
        guard !data.contains(0), String(validating: data, as: UTF8.self) != nil else {
            throw StoreFile.error(
                .fileReadCorrupt, path, "is not UTF-8 text; restore it from a copy")
        }
        let reader = XMLStoreReader(layout)
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        let isWellFormed = parser.parse()
        if let failure = reader.failure {
            throw StoreFile.error(
                .fileReadCorrupt, "\(path):\(failure.line):\(failure.column)",
                "is no XML store: \(failure.text); restore it from a copy")
        }
        guard isWellFormed else {
            throw StoreFile.error(
                .fileReadCorrupt, path, "is not well-formed XML; restore it from a copy")
        }
        return reader.objects
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        switch elementName {
        case "object": begin(attributes, parser)
        case "attribute": beginAttribute(attributes)
        case "relationship": relate(attributes, parser)
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if attribute != nil { text += string }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        if elementName == "attribute", let attribute {
            if let value = Self.value(text, attribute.type) {
                current?.row.values[attribute.slot] = value
            } else {
                fail("'\(text)' is no \(attribute.type)", parser)
            }
            self.attribute = nil
        }
        if elementName == "object", let done = current {
            objects.append(done)
            current = nil
        }
    }

    private func begin(_ attributes: [String: String], _ parser: XMLParser) {
        guard let found = entities[attributes["type"] ?? ""] else { return }
        guard let key = Self.key(attributes["id"] ?? "") else {
            return fail("an object's id must be z and a number", parser)
        }
        let entity = found.entity
        current = Object(
            key: key,
            row: MemoryContent.Row(
                entity: entity.index, version: 1,
                values: Array(repeating: .null, count: entity.values.count),
                members: Array(repeating: [], count: entity.toMany.count)))
    }

    private func beginAttribute(_ attributes: [String: String]) {
        guard let current, let name = attributes["name"] else { return }
        let names = entities[layout[current.row.entity].name.uppercased()]?.names
        guard let slot = names?.values.firstIndex(of: name) else { return }
        attribute = (slot, attributes["type"] ?? "string")
        text = ""
    }

    private func relate(_ attributes: [String: String], _ parser: XMLParser) {
        guard let row = current?.row, let name = attributes["name"],
            let destination = entities[attributes["destination"] ?? ""]?.entity,
            let names = entities[layout[row.entity].name.uppercased()]?.names
        else { return }
        var keys: [ObjectKey] = []
        for id in (attributes["idrefs"] ?? "").split(separator: " ") {
            guard let key = Self.key(String(id)) else {
                return fail("idrefs must be ids", parser)
            }
            keys.append(ObjectKey(entity: destination.index, key: key))
        }
        if let slot = names.values.firstIndex(of: name) {
            current?.row.values[slot] = keys.first.map { .reference($0) } ?? .null
        } else if let slot = names.toMany.firstIndex(of: name) {
            current?.row.members[slot] = keys
        }
    }

    private func fail(_ text: String, _ parser: XMLParser) {
        if failure == nil { failure = (parser.lineNumber, parser.columnNumber, text) }
        parser.abortParsing()
    }

    private static func key(_ id: String) -> Int64? {
        guard id.hasPrefix("z"), let key = Int64(id.dropFirst()), key > 0, key < 1 << 46 else {
            return nil
        }
        return key
    }

    private static func value(_ text: String, _ type: String) -> Value? {
        switch type {
        case "int16", "int32", "int64", "bool": Int64(text).map { .integer($0) }
        case "double", "float", "date": Double(text).map { .double($0) }
        case "string", "uri": .string(text)
        case "base64":
            Data(base64Encoded: text).map { .string(String(decoding: $0, as: UTF8.self)) }
        case "binary": Data(base64Encoded: text).map { .data($0) }
        case "uuid": UUID(uuidString: text).map { .uuid($0) }
        case "decimal": Decimal(string: text).map { .decimal($0) }
        default: nil
        }
    }
}
