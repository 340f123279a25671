import Foundation
import FoundationXML

/// Reads XML into a tree with places.
///
/// Called by the model file reader; turns what the parser reports into ``ModelError``.
final class XMLTreeReader: NSObject, XMLParserDelegate {
    private var scanner: XMLTagScanner
    private var open: [XMLElement] = []
    private var root: XMLElement?
    /// Where the parser first complained; it goes on after that and may call the parse a success.
    private var failure: XMLTag.Position?

    private init(_ bytes: [UInt8]) { scanner = XMLTagScanner(bytes) }

    /// The root element of a file's text.
    static func read(_ data: Data, path: String) throws(ModelError) -> XMLElement {
        func fail(_ kind: ModelError.Kind, _ message: String, line: Int? = nil, column: Int? = nil)
            -> ModelError
        {
            let location = ModelError.Location(path: path, line: line, column: column)
            return ModelError(ModelError.Finding(kind, message, at: location))
        }
        guard !data.isEmpty else {
            throw fail(.emptyFile, "the file is empty; \(Self.expected).", line: 1, column: 1)
        }
        if let bad = firstInvalidByte(data) {
            throw fail(
                .notText, "the file is not UTF-8 text; \(Self.expected).",
                line: bad.line, column: bad.column)
        }
        do throws(XMLPreflight.Refusal) { try XMLPreflight.check(data) } catch {
            throw fail(
                .notXML, "the file has \(error.what), which no model has; \(Self.expected).",
                line: error.line, column: error.column)
        }
        let reader = XMLTreeReader(Array(data))
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        guard parser.parse(), reader.failure == nil, let root = reader.root else {
            throw fail(
                .notXML, "the file is not well-formed XML; \(Self.expected).",
                line: reader.failure?.line ?? 1, column: reader.failure?.column ?? 1)
        }
        return root
    }

    private static let expected =
        "name the contents file of an .xcdatamodel folder that Xcode wrote"

    private static func firstInvalidByte(_ data: Data) -> XMLTag.Position? {
        guard data.contains(0) || String(validating: data, as: UTF8.self) == nil else {
            return nil
        }
        var position = XMLTag.Position(line: 1, column: 1)
        var decoder = UTF8()
        var bytes = data.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&bytes), scalar != "\0" {
            if scalar == "\n" {
                position = XMLTag.Position(line: position.line + 1, column: 1)
            } else {
                position.column += 1
            }
        }
        return position
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        let place =
            scanner.next()
            ?? XMLTag(
                start: XMLTag.Position(line: parser.lineNumber, column: parser.columnNumber))
        let element = XMLElement(name: elementName, attributes: attributes, place: place)
        if let parent = open.last { parent.append(element) } else { root = element }
        open.append(element)
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        if failure == nil {
            failure = XMLTag.Position(
                line: max(1, parser.lineNumber), column: max(1, parser.columnNumber))
        }
    }
}
