import CoreDataModel
import Foundation

/// Reads an XML store: its head, then its objects.
///
/// Unknown content is an error, because the next save would drop it.
struct XMLStoreReader {
    /// The content before the first object.
    struct Head {
        package var identifier: String?
        var nextKey: (key: Int64, offset: Int)?
        package var metadata: [String: any Sendable]?
        /// The position of the metadata's property list.
        var metadataRange = 0..<0
    }

    private var scanner: XMLScanner

    package init(_ data: Data) { scanner = XMLScanner(Array(data)) }

    // MARK: The head

    /// Reads up to the end of `databaseInfo`.
    package mutating func head() throws(FileFinding) -> Head {
        _ = try begin("database", [])
        _ = try begin("databaseInfo", [])
        var head = Head()
        var known: Set<String> = []
        while let start = try element() {
            guard known.insert(start.name).inserted else {
                throw FileFinding(start.offset, "<\(start.name)> appears twice")
            }
            try read(start, into: &head)
        }
        guard head.metadata != nil, head.identifier != nil else {
            throw FileFinding(scanner.offset, "the head has no UUID or no metadata")
        }
        return head
    }

    private mutating func read(
        _ start: XMLScanner.Start, into head: inout Head
    ) throws(FileFinding) {
        switch start.name {
        case "version":
            guard Int64(try text()) != nil else {
                throw FileFinding(start.offset, "the version is not a number")
            }
        case "UUID":
            let text = try text()
            guard UUID(uuidString: text) != nil else {
                throw FileFinding(start.offset, "'\(text)' is not a UUID")
            }
            head.identifier = text
        case "nextObjectID":
            guard let key = Int64(try text()), key > 0 else {
                throw FileFinding(start.offset, "nextObjectID is not a number above 0")
            }
            head.nextKey = (key, start.offset)
        case "metadata":
            head.metadataRange = try skip()
            let plist = scanner.raw(head.metadataRange)
            guard let metadata = Self.metadata(plist) else {
                throw FileFinding(start.offset, "the metadata is not a property list")
            }
            head.metadata = metadata
        default:
            throw FileFinding(start.offset, "<\(start.name)> is unknown in the head of a store")
        }
    }

    private static func metadata(_ plist: ArraySlice<UInt8>) -> [String: any Sendable]? {
        let data = Data("<?xml version=\"1.0\"?>".utf8) + Data(plist)
        let found = try? PropertyListSerialization.propertyList(from: data, format: nil)
        return found is [String: Any] ? StoreMetadata.decode(data) : nil
    }

    // MARK: Objects

    /// Reads the content after the head, to the end of the file.
    package mutating func objects(
        _ names: XMLNames, into builder: inout ContentBuilder
    ) throws(FileFinding) {
        while let start = try element() {
            guard start.name == "object" else { throw unknown(start) }
            try builder.add(try object(start, names))
        }
        try finish()
    }

    /// Skips the content after the head, to the end of the file.
    mutating func skipObjects() throws(FileFinding) {
        _ = try skip()
        try finish()
    }

    private mutating func finish() throws(FileFinding) {
        // Throws for any content after the root element.
        _ = try scanner.next()
    }

    private mutating func object(
        _ start: XMLScanner.Start, _ names: XMLNames
    ) throws(FileFinding) -> RowDraft {
        let type = try required("type", of: start)
        let id = try required("id", of: start)
        try check(start, ["type", "id"])
        guard let entity = names.entity(type) else {
            throw FileFinding(start.offset, "the model has no entity '\(type)'")
        }
        guard let key = Self.key(id) else {
            throw FileFinding(start.offset, "'\(id)' is not an id; an id is z and a number above 0")
        }
        var draft = try RowDraft(entity, key: key, version: 1, at: start.offset)
        while let start = try element() {
            let name = try required("name", of: start)
            guard let property = names.property(name, of: entity) else {
                throw FileFinding(start.offset, "\(entity.name) has no property '\(name)'")
            }
            switch (start.name, property) {
            case ("attribute", .value(let slot)) where entity.values[slot].toOne == nil:
                try attribute(start, slot, &draft)
            case ("relationship", .value(let slot)) where entity.values[slot].toOne != nil,
                ("relationship", .toMany(let slot)):
                try relationship(start, property, slot, names, &draft)
            default:
                throw FileFinding(
                    start.offset, "'\(name)' of \(entity.name) does not belong in <\(start.name)>")
            }
        }
        return draft
    }

    private mutating func attribute(
        _ start: XMLScanner.Start, _ slot: Int, _ draft: inout RowDraft
    ) throws(FileFinding) {
        let type = try required("type", of: start)
        try check(start, ["name", "type"])
        let kind = draft.entity.values[slot].kind
        let text = try text()
        guard XMLValue.types(of: kind).contains(type) else {
            throw FileFinding(
                start.offset,
                "\(draft.entity.values[slot].name) of \(draft.name) has the type '\(type)', but the"
                    + " model says \(kind)")
        }
        guard let value = XMLValue.value(text, type) else {
            throw FileFinding(
                start.offset,
                "\(draft.entity.values[slot].name) of \(draft.name) is not of the type \(type)")
        }
        try draft.set(slot, value, at: start.offset)
    }

    private mutating func relationship(
        _ start: XMLScanner.Start, _ property: XMLNames.Property, _ slot: Int, _ names: XMLNames,
        _ draft: inout RowDraft
    ) throws(FileFinding) {
        try check(start, ["name", "type", "destination", "idrefs"])
        guard try element() == nil else { throw unknown(start) }
        let destination = names.entity(try required("destination", of: start))
        guard let destination, destination.index == names.destination(of: property, draft.entity)
        else {
            throw FileFinding(
                start.offset, "the relationship has another destination entity in the model")
        }
        var keys: [ObjectKey] = []
        for id in (start.attributes["idrefs"]?.value ?? "").split(separator: " ") {
            guard let key = Self.key(String(id)) else {
                throw FileFinding(
                    start.offset, "'\(id)' is not an id; an id is z and a number above 0")
            }
            keys.append(ObjectKey(entity: destination.index, key: key))
        }
        guard case .value = property else {
            return try draft.set(toMany: slot, keys, at: start.offset)
        }
        guard keys.count < 2 else {
            throw FileFinding(start.offset, "a to-one relationship has \(keys.count) objects")
        }
        try draft.set(slot, keys.first.map { .reference($0) } ?? .null, at: start.offset)
    }

    private static func key(_ id: String) -> Int64? {
        guard id.hasPrefix("z"), id.dropFirst().allSatisfy(\.isNumber) else { return nil }
        return Int64(id.dropFirst())
    }

    // MARK: Elements

    /// Returns the next child of the current element; nil at the element's end.
    private mutating func element() throws(FileFinding) -> XMLScanner.Start? {
        while let token = try scanner.next() {
            switch token {
            case .start(let start): return start
            case .end: return nil
            case .text(let text, let offset):
                guard text.allSatisfy(\.isWhitespace) else {
                    throw FileFinding(offset, "the text does not belong here")
                }
            }
        }
        return nil
    }

    private mutating func begin(
        _ name: String, _ attributes: [String]
    ) throws(FileFinding) -> XMLScanner.Start {
        guard let start = try element() else {
            throw FileFinding(scanner.offset, "<\(name)> is missing")
        }
        guard start.name == name else { throw unknown(start) }
        try check(start, attributes)
        return start
    }

    private mutating func text() throws(FileFinding) -> String {
        var result = ""
        while let token = try scanner.next() {
            switch token {
            case .text(let text, _): result += text
            case .end: return result
            case .start(let start): throw unknown(start)
            }
        }
        return result
    }

    /// Skips the rest of the current element.
    ///
    /// - Returns: the position of the element's content.
    private mutating func skip() throws(FileFinding) -> Range<Int> {
        let begin = scanner.offset
        var depth = 1
        while let token = try scanner.next() {
            switch token {
            case .start: depth += 1
            case .end(let offset):
                depth -= 1
                if depth == 0 { return begin..<offset }
            case .text: break
            }
        }
        return begin..<begin
    }

    private func required(
        _ name: String, of start: XMLScanner.Start
    ) throws(FileFinding) -> String {
        if let attribute = start.attributes[name] { return attribute.value }
        throw FileFinding(start.offset, "<\(start.name)> has no '\(name)'")
    }

    private func check(_ start: XMLScanner.Start, _ names: [String]) throws(FileFinding) {
        guard let name = start.attributes.keys.sorted().first(where: { !names.contains($0) })
        else { return }
        throw FileFinding(start.offset, "<\(start.name)> has no attribute '\(name)' in a store")
    }

    private func unknown(_ start: XMLScanner.Start) -> FileFinding {
        FileFinding(start.offset, "<\(start.name)> does not belong here")
    }
}
