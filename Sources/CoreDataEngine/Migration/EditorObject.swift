import CoreDataModel
import Foundation

/// An object of Xcode's mapping editor. Attributes are strings, binary attributes are data, and
/// relationships are ids.
struct EditorObject {
    let type: String
    var values: [String: String] = [:]
    var data: [String: Data] = [:]
    var references: [String: [String]] = [:]
}

/// Reads the objects of the mapping editor's XML.
struct EditorObjectReader {
    private var scanner: XMLScanner

    init(_ data: Data) { scanner = XMLScanner(Array(data)) }

    mutating func objects() throws(FileFinding) -> [String: EditorObject] {
        var objects: [String: EditorObject] = [:]
        while let token = try scanner.next() {
            guard case .start(let tag) = token, tag.name == "object" else { continue }
            guard let type = tag.attributes["type"]?.value, let id = tag.attributes["id"]?.value
            else { throw FileFinding(tag.offset, "an object has no type or no id") }
            guard objects[id] == nil else {
                throw FileFinding(tag.offset, "two objects have the id '\(id)'")
            }
            objects[id] = try object(of: type)
        }
        return objects
    }

    private mutating func object(of type: String) throws(FileFinding) -> EditorObject {
        var object = EditorObject(type: type)
        while let token = try scanner.next() {
            switch token {
            case .end: return object
            case .text: continue
            case .start(let tag):
                let text = try text()
                guard let name = tag.attributes["name"]?.value else {
                    throw FileFinding(tag.offset, "<\(tag.name)> needs a name")
                }
                if tag.name == "relationship" {
                    let ids = tag.attributes["idrefs"]?.value ?? ""
                    object.references[name] = ids.split(separator: " ").map(String.init)
                } else if tag.attributes["type"]?.value == "binary" {
                    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters)
                    else { throw FileFinding(tag.offset, "'\(name)' is not Base64") }
                    object.data[name] = data
                } else {
                    object.values[name] = text
                }
            }
        }
        return object
    }

    private mutating func text() throws(FileFinding) -> String {
        var text = ""
        var depth = 1
        while depth > 0, let token = try scanner.next() {
            switch token {
            case .text(let part, _): text += part
            case .start: depth += 1
            case .end: depth -= 1
            }
        }
        return text
    }
}
