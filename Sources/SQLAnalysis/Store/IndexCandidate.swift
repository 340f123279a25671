import CoreDataModel

/// An index over attributes of an entity that may make a statement faster.
struct IndexCandidate {
    private struct Element: Hashable {
        var column: String
        var attribute: String
        var isAscending: Bool
    }

    /// The entity that declares the attributes.
    let owner: EntityLayout
    private let table: String
    private let elements: [Element]

    /// The prefix of the names of indexes that trials create.
    static let name = "Faultline_trial"

    var attributes: [String] { elements.map(\.attribute) }

    func sql(named name: String) -> String {
        let list = elements.map { "\($0.column)\($0.isAscending ? "" : " DESC")" }
        return "CREATE INDEX \(name) ON \(table) (\(list.joined(separator: ", ")))"
    }

    // MARK: Choices

    /// The candidates for a choice of indexes; nil if a column belongs to no attribute of the
    /// model.
    ///
    /// - Parameter preferred: the entity of the fetch, for a table with several entities.
    static func all(
        _ choice: [IndexColumns], _ layout: ModelLayout, preferred: EntityLayout? = nil
    ) -> [IndexCandidate]? {
        let found = choice.compactMap { index -> IndexCandidate? in
            let entities = [preferred].compactMap(\.self) + layout.entities
            for entity in entities where entity.tableName == index.table {
                guard let elements = elements(index.columns, entity), !elements.isEmpty else {
                    continue
                }
                return IndexCandidate(owner: entity, table: index.table, elements: elements)
                    .declared(in: layout)
            }
            return nil
        }
        return found.count == choice.count ? found : nil
    }

    /// The attributes of the columns; nil if the entity lacks one of them.
    private static func elements(
        _ columns: [StatementShape.Column], _ entity: EntityLayout
    ) -> [Element]? {
        let elements = columns.filter { $0.name != "Z_PK" }.map { column -> Element? in
            let slot = entity.values.first { $0.column?.uppercased() == column.name }
            guard let slot, let name = slot.column else { return nil }
            return Element(
                column: name, attribute: slot.name, isAscending: !column.isDescending)
        }
        let known = elements.compactMap(\.self)
        return known.count == elements.count ? known : nil
    }

    /// The candidate for the entity that declares the attributes.
    private func declared(in layout: ModelLayout) -> IndexCandidate {
        var owner = owner
        while let parent = owner.superIndex.map({ layout[$0] }),
            attributes.allSatisfy({ parent.valueSlot(named: $0) != nil })
        {
            owner = parent
        }
        return IndexCandidate(owner: owner, table: table, elements: elements)
    }

    // MARK: Code

    /// Swift code that adds the fetch indexes to a model that is built in code.
    static func code(_ candidates: [IndexCandidate]) -> [String] {
        var lines: [String] = []
        for (index, candidate) in candidates.enumerated() {
            let isKnown = candidates[..<index].contains { $0.owner === candidate.owner }
            if !isKnown { lines += candidate.head }
            lines += candidate.code(elements: "elements\(index == 0 ? "" : "\(index + 1)")")
        }
        return lines
    }

    private var variable: String { owner.name.prefix(1).lowercased() + owner.name.dropFirst() }

    private var head: [String] {
        [
            "// In the model editor: \(owner.name), Editor > Add Fetch Index. In code:",
            "let \(variable) = model.entitiesByName[\"\(owner.name)\"]!",
        ]
    }

    private func code(elements name: String) -> [String] {
        let names = attributes.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let list = elements.map { element in
            "NSFetchIndexElementDescription(property: "
                + "\(variable).propertiesByName[\"\(element.attribute)\"]!, collationType: .binary)"
        }
        var lines = ["let \(name) = [\(list.joined(separator: ", "))]"]
        for (index, element) in elements.enumerated() where !element.isAscending {
            lines.append("\(name)[\(index)].isAscending = false")
        }
        lines.append(
            "\(variable).indexes.append(NSFetchIndexDescription(name: \"by\(names.joined())\", "
                + "elements: \(name)))")
        return lines
    }
}
