/// An element of a model file, with its position.
final class XMLElement {
    let name: String
    let attributes: [String: String]
    let place: XMLTag
    private(set) var children: [XMLElement] = []

    init(name: String, attributes: [String: String], place: XMLTag) {
        self.name = name
        self.attributes = attributes
        self.place = place
    }

    func append(_ child: XMLElement) { children.append(child) }

    func children(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    subscript(attribute: String) -> String? { attributes[attribute] }
}

/// The positions of a start tag and its attributes; lines and columns count from 1.
struct XMLTag {
    struct Position: Equatable {
        var line: Int
        var column: Int
    }

    var start: Position
    var attributes: [String: Position] = [:]
}
