/// The expected contents of one context of a random program, as plain values.
struct ProgramGraph: Equatable, Sendable {
    struct Node: Equatable, Sendable {
        let kind: ProgramKind
        var values: [ProgramAttribute: ProgramValue]
        /// The numbers of the destinations. They are sorted if the link is not ordered.
        var links: [ProgramLink: [Int]] = [:]

        func text(_ number: Int, isChanged: Bool) -> String {
            var words = ["#\(number) \(kind.entity)\(isChanged ? " changed" : "")"]
            for attribute in kind.attributes {
                if let value = values[attribute] { words.append("\(attribute)=\(value.text)") }
            }
            for link in kind.links {
                let ends = links[link] ?? []
                if !ends.isEmpty {
                    words.append("\(link.name)={\(ends.map(String.init).joined(separator: ","))}")
                }
            }
            return words.joined(separator: " ")
        }
    }

    let schema: ProgramSchema
    private(set) var nodes: [Int: Node] = [:]

    init(_ schema: ProgramSchema) { self.schema = schema }

    var numbers: [Int] { nodes.keys.sorted() }

    /// One line for each object. It also states whether the object has changed since `base`.
    func text(since base: ProgramGraph) -> String {
        numbers.map { number in
            let known = base.nodes[number]
            return nodes[number]?.text(number, isChanged: known != nil && known != nodes[number])
                ?? ""
        }.joined(separator: "\n")
    }

    func ends(_ number: Int, _ link: ProgramLink) -> [Int] { nodes[number]?.links[link] ?? [] }

    func allows(_ number: Int, _ link: ProgramLink, _ other: Int?) -> Bool {
        guard let node = nodes[number], node.kind.links.contains(link) else { return false }
        guard let other else { return true }
        return nodes[other].map { link.destination.found.contains($0.kind) } ?? false
    }

    // MARK: Changes

    mutating func insert(
        _ kind: ProgramKind, _ number: Int, _ values: [ProgramAttribute: ProgramValue]
    ) {
        var all = values
        for attribute in kind.attributes where all[attribute] == nil {
            all[attribute] = attribute.initial
        }
        nodes[number] = Node(kind: kind, values: all)
    }

    mutating func set(_ number: Int, _ attribute: ProgramAttribute, _ value: ProgramValue?) {
        nodes[number]?.values[attribute] = value
    }

    mutating func connect(_ number: Int, _ link: ProgramLink, _ other: Int, at index: Int? = nil) {
        guard !ends(number, link).contains(other) else { return }
        if !link.isToMany, let old = ends(number, link).first { disconnect(number, link, old) }
        let inverse = link.inverse
        if !inverse.isToMany, let old = ends(other, inverse).first {
            disconnect(old, link, other)
        }
        put(other, into: number, link, at: index)
        put(number, into: other, inverse, at: nil)
    }

    private mutating func put(
        _ other: Int, into number: Int, _ link: ProgramLink, at index: Int?
    ) {
        var list = ends(number, link)
        guard !list.contains(other) else { return }
        if schema.ordered.contains(link) {
            list.insert(other, at: min(index ?? list.count, list.count))
        } else {
            list.append(other)
            list.sort()
        }
        nodes[number]?.links[link] = list
    }

    mutating func disconnect(_ number: Int, _ link: ProgramLink, _ other: Int) {
        take(other, from: number, link)
        take(number, from: other, link.inverse)
    }

    private mutating func take(_ other: Int, from number: Int, _ link: ProgramLink) {
        let list = ends(number, link).filter { $0 != other }
        nodes[number]?.links[link] = list.isEmpty ? nil : list
    }

    mutating func replace(_ number: Int, _ link: ProgramLink, _ others: [Int]) {
        for old in ends(number, link) where !others.contains(old) {
            disconnect(number, link, old)
        }
        for other in others { connect(number, link, other) }
        guard schema.ordered.contains(link), !others.isEmpty else { return }
        nodes[number]?.links[link] = others
    }

    mutating func move(_ number: Int, _ link: ProgramLink, from: Int, to: Int) {
        var list = ends(number, link)
        let other = list.remove(at: from)
        list.insert(other, at: to)
        nodes[number]?.links[link] = list
    }

    /// The objects that are deleted together with an object, and the number of links whose rule
    /// denies this.
    func deletion(of number: Int) -> (numbers: Set<Int>, denials: Int) {
        var deleted: Set<Int> = [number]
        var waiting = [number]
        while let next = waiting.popLast() {
            for link in nodes[next]?.kind.links ?? [] where schema.rule(link) == .cascade {
                waiting += ends(next, link).filter { deleted.insert($0).inserted }
            }
        }
        let denials = deleted.reduce(0) { count, next in
            let links = (nodes[next]?.kind.links ?? []).filter { link in
                schema.rule(link) == .deny && ends(next, link).contains { !deleted.contains($0) }
            }
            return count + links.count
        }
        return (deleted, denials)
    }

    mutating func remove(_ numbers: Set<Int>) {
        for number in numbers.sorted() {
            for link in nodes[number]?.kind.links ?? [] {
                for other in ends(number, link) { disconnect(number, link, other) }
            }
            nodes[number] = nil
        }
    }

    // MARK: Comparing

    var problems: [Int] { problems(since: ProgramGraph(schema)) }

    /// The error codes with which a save of the changes since `base` fails.
    func problems(since base: ProgramGraph) -> [Int] {
        nodes.reduce(into: []) { codes, entry in
            let node = entry.value
            guard base.nodes[entry.key] != node else { return }
            let isBook = ProgramKind.book.found.contains(node.kind)
            if isBook, schema.requiresTitle, node.values[.title] == nil { codes.append(1570) }
            if isBook, schema.requiresAuthor, node.links[.author] == nil { codes.append(1570) }
        }
    }

    func countOfNew(since base: ProgramGraph) -> Int {
        nodes.keys.count { base.nodes[$0] == nil }
    }
}
