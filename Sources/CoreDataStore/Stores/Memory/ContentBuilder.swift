import CoreDataModel

/// Builds the rows of a store from the content of a file, and checks the content.
///
/// The readers of the file formats add drafts of objects in any order. So references are resolved
/// at the end.
struct ContentBuilder {
    private let layout: ModelLayout
    private var content: MemoryContent
    private var offsets: [(key: ObjectKey, offset: Int)] = []

    package init(layout: ModelLayout) {
        self.layout = layout
        content = MemoryContent(layout: layout)
    }

    package mutating func add(_ draft: RowDraft) throws(FileFinding) {
        let key = ObjectKey(entity: draft.entity.index, key: draft.key)
        guard content.row(key) == nil else {
            throw FileFinding(draft.offset, "\(draft.name) appears twice")
        }
        content.insert(draft.row, key: draft.key)
        offsets.append((key, draft.offset))
    }

    /// The content with every reference resolved.
    ///
    /// - Parameter lastKey: the last assigned key that the file contains.
    package consuming func finish(lastKey: Int64, at offset: Int) throws(FileFinding)
        -> MemoryContent
    {
        guard lastKey == 0 || StoredValue.keys.contains(lastKey) else {
            throw FileFinding(offset, "\(lastKey) cannot be the last id")
        }
        var result = content
        for (key, offset) in offsets {
            guard var row = content.row(key) else { continue }
            try resolve(&row, key.key, offset)
            result.insert(row, key: key.key)
        }
        result.lastKey = max(result.lastKey, lastKey)
        return result
    }

    private func resolve(
        _ row: inout MemoryContent.Row, _ key: Int64, _ offset: Int
    ) throws(FileFinding) {
        let entity = layout[row.entity]
        for (slot, value) in row.values.enumerated() {
            guard case .reference(let wanted) = value, let toOne = entity.values[slot].toOne else {
                continue
            }
            guard let found = found(wanted, toOne.destinationIndex) else {
                throw missing(wanted, entity, key, entity.values[slot].name, offset)
            }
            row.values[slot] = .reference(found)
        }
        for (slot, members) in row.members.enumerated() where !members.isEmpty {
            var known: Set<Int64> = []
            var exact: [ObjectKey] = []
            for wanted in members {
                let relationship = entity.toMany[slot]
                guard let found = found(wanted, relationship.destinationIndex) else {
                    throw missing(wanted, entity, key, relationship.name, offset)
                }
                guard known.insert(found.key).inserted else {
                    throw FileFinding(
                        offset,
                        "\(relationship.name) of \(entity.name) \(key) has \(found.key) twice")
                }
                exact.append(found)
            }
            row.members[slot] = exact
        }
    }

    /// The key of the object to which a reference refers, with the object's own entity. Nil if the
    /// object does not exist or does not fit the relationship.
    private func found(_ wanted: ObjectKey, _ destination: Int) -> ObjectKey? {
        guard let row = content.row(wanted),
            layout[destination].familyRange.contains(row.entity),
            layout[Int(wanted.entity)].familyRange.contains(row.entity)
        else { return nil }
        return ObjectKey(entity: row.entity, key: wanted.key)
    }

    private func missing(
        _ wanted: ObjectKey, _ entity: EntityLayout, _ key: Int64, _ name: String, _ offset: Int
    ) -> FileFinding {
        FileFinding(
            offset,
            "\(name) of \(entity.name) \(key) names \(layout[Int(wanted.entity)].name)"
                + " \(wanted.key), which does not exist")
    }
}

/// One object as described in the file.
struct RowDraft {
    package let entity: EntityLayout
    package let key: Int64
    /// The position of the object's description in the file.
    package let offset: Int
    package private(set) var row: MemoryContent.Row
    private var isSet: [Bool]

    package init(
        _ entity: EntityLayout, key: Int64, version: Int32, at offset: Int
    ) throws(FileFinding) {
        self.entity = entity
        self.key = key
        self.offset = offset
        guard !entity.isAbstract else {
            throw FileFinding(offset, "the entity \(entity.name) is abstract and has no objects")
        }
        guard StoredValue.keys.contains(key) else {
            throw FileFinding(
                offset, "\(key) is not an id; ids are 1 to \(StoredValue.keys.upperBound)")
        }
        guard StoredValue.versions.contains(version) else {
            throw FileFinding(offset, "\(version) is not a valid version of an object")
        }
        row = MemoryContent.Row(
            entity: entity.index, version: version,
            values: Array(repeating: .null, count: entity.values.count),
            members: Array(repeating: [], count: entity.toMany.count))
        isSet = Array(repeating: false, count: entity.values.count + entity.toMany.count)
    }

    package var name: String { "\(entity.name) \(key)" }

    package mutating func set(_ slot: Int, _ value: Value, at offset: Int) throws(FileFinding) {
        let layout = entity.values[slot]
        try note(slot, layout.name, offset)
        if let problem = StoredValue.problem(value, layout.kind) {
            throw FileFinding(offset, "\(layout.name) of \(name) \(problem)")
        }
        row.values[slot] = value
    }

    package mutating func set(toMany slot: Int, _ keys: [ObjectKey], at offset: Int)
        throws(FileFinding)
    {
        try note(entity.values.count + slot, entity.toMany[slot].name, offset)
        if let key = keys.first(where: { !StoredValue.keys.contains($0.key) }) {
            throw FileFinding(
                offset,
                "\(entity.toMany[slot].name) of \(name) names \(key.key), which is not an id")
        }
        row.members[slot] = keys
    }

    private mutating func note(_ place: Int, _ property: String, _ offset: Int) throws(FileFinding)
    {
        guard !isSet[place] else {
            throw FileFinding(offset, "\(property) of \(name) appears twice")
        }
        isSet[place] = true
    }
}
