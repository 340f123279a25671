import CoreDataModel

/// An index that a statement might be served by: what is compared with one value first, then what
/// is sorted by or compared with a range.
///
/// The index trial makes each on the copy.
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

    /// What the index on the copy is called.
    static let name = "Faultline_trial"

    var attributes: [String] { elements.map(\.attribute) }

    /// The statement that makes it.
    var sql: String {
        let list = elements.map { "\($0.column)\($0.isAscending ? "" : " DESC")" }
        return "CREATE INDEX \(Self.name) ON \(table) (\(list.joined(separator: ", ")))"
    }

    /// What to write where the model is made in code; in the model editor it is a fetch index.
    var code: [String] {
        let variable = owner.name.prefix(1).lowercased() + owner.name.dropFirst()
        let names = attributes.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        var lines = [
            "// In the model editor: \(owner.name), Editor > Add Fetch Index. In code:",
            "let \(variable) = model.entitiesByName[\"\(owner.name)\"]!",
        ]
        let list = elements.map { element in
            "NSFetchIndexElementDescription(property: "
                + "\(variable).propertiesByName[\"\(element.attribute)\"]!, collationType: .binary)"
        }
        lines.append("let elements = [\(list.joined(separator: ", "))]")
        for (index, element) in elements.enumerated() where !element.isAscending {
            lines.append("elements[\(index)].isAscending = false")
        }
        lines.append(
            "\(variable).indexes.append(NSFetchIndexDescription(name: \"by\(names.joined())\", "
                + "elements: elements))")
        return lines
    }

    /// Those that are worth trying, the most promising first.
    static func all(of shape: StatementShape, _ entity: EntityLayout) -> [IndexCandidate] {
        let equal = columns(of: shape, ["=", "==", "IS", "IN"])
        let ranges = columns(of: shape, ["<", ">", "<=", ">=", "BETWEEN"])
        let sorted = shape.order.filter { $0.alias == shape.alias }
        let order = sorted.count == shape.order.count ? sorted : []
        let lists: [[StatementShape.Column]] = [
            equal + order, equal + ranges.prefix(1), order, equal, Array(ranges.prefix(1)),
        ]
        var seen: Set<[Element]> = []
        return lines(lists, entity).filter { !$0.isEmpty && seen.insert($0).inserted }
            .map { IndexCandidate(owner: entity, table: entity.tableName, elements: $0) }
    }

    private static func columns(
        of shape: StatementShape, _ comparisons: Set<String>
    ) -> [StatementShape.Column] {
        shape.conditions.filter {
            comparisons.contains($0.comparison)
                && ($0.column.alias == nil || $0.column.alias == shape.alias)
        }.map(\.column)
    }

    /// Columns as attributes, each once; a list with a column that is none is left out.
    private static func lines(
        _ lists: [[StatementShape.Column]], _ entity: EntityLayout
    ) -> [[Element]] {
        lists.map { list in
            var elements: [Element] = []
            for column in list where column.name != "Z_PK" && column.name != "Z_ENT" {
                let slot = entity.values.first { $0.column?.uppercased() == column.name }
                guard let slot, let name = slot.column else { return [] }
                guard !elements.contains(where: { $0.column == name }) else { continue }
                elements.append(
                    Element(
                        column: name, attribute: slot.name, isAscending: !column.isDescending))
            }
            return elements
        }
    }

    /// The same for the entity that declares its attributes.
    func declared(in layout: ModelLayout) -> IndexCandidate {
        var owner = owner
        while let parent = owner.superIndex.map({ layout[$0] }),
            attributes.allSatisfy({ parent.valueSlot(named: $0) != nil })
        {
            owner = parent
        }
        return IndexCandidate(owner: owner, table: table, elements: elements)
    }
}
