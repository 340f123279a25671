import Foundation
import FoundationXML

/// Reads a page as XML and collects its links, ids and texts.
final class PageReader: NSObject, XMLParserDelegate {
    private(set) var ids: [String] = []
    private(set) var links: [String] = []

    /// - Throws: an error if the page is not well formed.
    static func read(_ text: String) throws -> PageReader {
        let reader = PageReader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        guard parser.parse() else {
            throw Broken(
                text: "line \(parser.lineNumber): \(String(describing: parser.parserError))")
        }
        return reader
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        if let id = attributes["id"] { ids.append(id) }
        if let link = attributes["href"] { links.append(link) }
    }

    private struct Broken: Error {
        var text: String
    }
}
