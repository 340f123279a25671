import Foundation

/// Reads XML into a tree with positions. Reports errors of the scanner as ``ModelError``.
struct XMLTreeReader {
    private let bytes: [UInt8]
    private let path: String
    /// The last computed position. Later positions are counted from it.
    private var known = (offset: 0, position: XMLTag.Position(line: 1, column: 1))

    static func read(_ data: Data, path: String) throws(ModelError) -> XMLElement {
        var reader = XMLTreeReader(bytes: Array(data), path: path)
        return try reader.root()
    }

    private init(bytes: [UInt8], path: String) {
        self.bytes = bytes
        self.path = path
    }

    private mutating func root() throws(ModelError) -> XMLElement {
        guard !bytes.isEmpty else {
            throw error(.emptyFile, "the file is empty", XMLTag.Position(line: 1, column: 1))
        }
        if let bad = firstInvalidByte() {
            throw error(.notText, "the file is not UTF-8 text", position(of: bad))
        }
        do throws(FileFinding) { return try tree() } catch {
            let place = position(of: error.offset)
            throw self.error(.notXML, "the file is not well-formed XML: \(error.text)", place)
        }
    }

    private func error(
        _ kind: ModelError.Kind, _ message: String, _ place: XMLTag.Position
    ) -> ModelError {
        let location = ModelError.Location(path: path, line: place.line, column: place.column)
        let remedy = "use the contents file of an .xcdatamodel folder that Xcode wrote"
        return ModelError(ModelError.Finding(kind, "\(message); \(remedy).", at: location))
    }

    private mutating func tree() throws(FileFinding) -> XMLElement {
        // A byte order mark is skipped.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var scanner = XMLScanner(bytes.starts(with: mark) ? blanked(mark.count) : bytes)
        var open: [XMLElement] = []
        var root: XMLElement?
        while let token = try scanner.next() {
            switch token {
            case .start(let tag):
                let element = XMLElement(
                    name: tag.name, attributes: tag.attributes.mapValues(\.value),
                    place: place(of: tag))
                if let parent = open.last { parent.append(element) } else { root = element }
                open.append(element)
            case .end: open.removeLast()
            case .text: break
            }
        }
        guard let root else { throw FileFinding(0, "the file has no element") }
        return root
    }

    private func blanked(_ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: " "), count: count) + bytes[count...]
    }

    // MARK: Lines and columns

    private mutating func place(of tag: XMLScanner.Start) -> XMLTag {
        var place = XMLTag(start: position(of: tag.offset))
        for (name, attribute) in tag.attributes.sorted(by: { $0.value.offset < $1.value.offset }) {
            place.attributes[name] = position(of: attribute.offset)
        }
        return place
    }

    /// The line and column of a byte. Columns count Unicode scalars.
    private mutating func position(of offset: Int) -> XMLTag.Position {
        if offset < known.offset { known = (0, XMLTag.Position(line: 1, column: 1)) }
        var position = known.position
        for byte in bytes[known.offset..<min(offset, bytes.count)] {
            if byte == UInt8(ascii: "\n") {
                position = XMLTag.Position(line: position.line + 1, column: 1)
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                position.column += 1
            }
        }
        known = (min(offset, bytes.count), position)
        return position
    }

    /// The offset of the first byte that is not UTF-8 or not allowed in XML.
    private func firstInvalidByte() -> Int? {
        guard bytes.contains(0) || String(validating: bytes, as: UTF8.self) == nil else {
            return nil
        }
        var offset = 0
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&rest), scalar != "\0" {
            offset += UTF8.width(scalar)
        }
        return offset
    }
}
