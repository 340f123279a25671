import CYaml

/// The limits for YAML text.
///
/// A text with nested aliases can be small and still expand to a very large tree. The YAML library
/// hashes this tree while it builds nodes. Therefore the readers of scenarios and workloads check
/// the limits before they build nodes, by counting the parser's events.
package struct YAMLBounds: Sendable {
    /// The maximum number of values, where an alias counts as all values of its anchor.
    package static let valuesMax = 100_000
    /// The maximum depth of nested mappings and lists.
    package static let depthMax = 50

    /// The position at which a text exceeds a limit; line and column are counted from 1.
    package struct Excess: Error, Sendable, Hashable {
        package let line: Int
        package let column: Int
        package let problem: FileProblem
    }

    /// Checks a text. Invalid YAML is accepted here, because the file's reader reports it.
    package static func check(_ text: String) throws(Excess) {
        var text = text
        let found = text.withUTF8 { bytes in
            var parser = yaml_parser_t()
            guard yaml_parser_initialize(&parser) == 1 else { return Optional<Excess>.none }
            defer { yaml_parser_delete(&parser) }
            yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
            var bounds = YAMLBounds()
            while true {
                var event = yaml_event_t()
                guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
                defer { yaml_event_delete(&event) }
                if event.type == YAML_STREAM_END_EVENT { return nil }
                if let problem = bounds.take(event) {
                    let mark = event.start_mark
                    return Excess(
                        line: Int(mark.line) + 1, column: Int(mark.column) + 1, problem: problem)
                }
            }
        }
        if let found { throw found }
    }

    private struct Level {
        let anchor: String?
        var values = 1
    }

    private var levels: [Level] = []
    private var anchors: [String: Int] = [:]
    private var total = 0

    private mutating func take(_ event: yaml_event_t) -> FileProblem? {
        switch event.type {
        case YAML_SCALAR_EVENT:
            if let anchor = event.data.scalar.anchor { anchors[Self.text(anchor)] = 1 }
            return add(1)
        case YAML_ALIAS_EVENT:
            return add(anchors[Self.text(event.data.alias.anchor)] ?? 1)
        case YAML_SEQUENCE_START_EVENT: return open(event.data.sequence_start.anchor)
        case YAML_MAPPING_START_EVENT: return open(event.data.mapping_start.anchor)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            guard let level = levels.popLast() else { return nil }
            if let anchor = level.anchor { anchors[anchor] = level.values }
            if !levels.isEmpty { levels[levels.count - 1].values += level.values }
            return nil
        default: return nil
        }
    }

    private mutating func open(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> FileProblem? {
        levels.append(Level(anchor: anchor.map(Self.text)))
        total += 1
        guard levels.count <= Self.depthMax else {
            return FileProblem(
                "lists and mappings are nested more than \(Self.depthMax) levels deep",
                instead: "nest fewer levels")
        }
        return add(0)
    }

    private mutating func add(_ values: Int) -> FileProblem? {
        total += values
        if !levels.isEmpty { levels[levels.count - 1].values += values }
        guard total <= Self.valuesMax else {
            return FileProblem(
                "the file unfolds to more than \(Self.valuesMax) values",
                instead: "write the values out instead of repeating anchors, or divide the file")
        }
        return nil
    }

    private static func text(_ characters: UnsafeMutablePointer<yaml_char_t>?) -> String {
        characters.map { String(cString: $0) } ?? ""
    }
}
