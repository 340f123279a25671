import Foundation

/// The objects of a keyed archive while models and mapping models are read.
///
/// An object is identified by its position. Position 0 is nil.
package struct KeyedUnarchive {
    private let objects: [ArchiveValue]
    /// The position of the archive's root object.
    package let root: Int

    /// Reads a keyed archive; nil if the bytes are not a keyed archive.
    package init?(_ data: Data) {
        guard case .dictionary(let pairs)? = BinaryPropertyListReader.read(data) else { return nil }
        let top = Dictionary(pairs.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        guard case .array(let objects)? = top["$objects"],
            case .dictionary(let roots)? = top["$top"],
            case .reference(let root)? = roots.first(where: { $0.key == "root" })?.value
        else { return nil }
        self.objects = objects
        self.root = root
    }

    /// Whether the object at position 0 is `$null`, as archivers write it.
    package var hasNull: Bool {
        guard case .string("$null")? = objects.first else { return false }
        return true
    }

    /// The fields of an object; empty if no object exists at the position.
    package func fields(_ place: Int) -> [String: ArchiveValue] {
        guard objects.indices.contains(place), case .dictionary(let pairs) = objects[place] else {
            return [:]
        }
        return Dictionary(pairs.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    package func className(_ place: Int) -> String? {
        guard let type = self.place(fields(place)["$class"]),
            case .string(let name)? = fields(type)["$classname"]
        else { return nil }
        return name
    }

    /// The position to which a reference leads; nil for the reference to nil.
    package func place(_ value: ArchiveValue?) -> Int? {
        guard case .reference(let place)? = value, place > 0, objects.indices.contains(place)
        else { return nil }
        return place
    }

    /// The value of a field. The field may be a reference to the value.
    package func value(_ value: ArchiveValue?) -> ArchiveValue? {
        guard case .reference? = value else { return value }
        return place(value).map { objects[$0] }
    }

    /// A string field. The field may be a reference to the string.
    package func string(_ field: ArchiveValue?) -> String? {
        switch value(field) {
        case .string(let text)?: return text
        case .dictionary(let pairs)?:
            // Only one reference is followed: in a damaged archive, a string may refer to itself.
            guard case .string(let text)? = value(pairs.first { $0.key == "NS.string" }?.value)
            else { return nil }
            return text
        default: return nil
        }
    }

    /// An integer field. The field may be a reference to the integer.
    package func integer(_ field: ArchiveValue?) -> Int? {
        guard case .integer(let number)? = value(field) else { return nil }
        return Int(number)
    }

    /// A Boolean field. The field may be a reference to the value.
    package func flag(_ field: ArchiveValue?) -> Bool {
        switch value(field) {
        case .boolean(let flag)?: flag
        case .integer(let number)?: number != 0
        default: false
        }
    }

    package func members(_ field: ArchiveValue?) -> [Int] {
        guard let place = place(field), case .array(let members)? = fields(place)["NS.objects"]
        else { return [] }
        return members.compactMap { self.place($0) }
    }

    /// The entries of a dictionary, also of a dictionary with predefined keys.
    package func entries(_ field: ArchiveValue?) -> [(key: String, place: Int)] {
        guard let place = place(field) else { return [] }
        let fields = fields(place)
        var keys: [ArchiveValue] = []
        var values: [Int] = []
        if case .array(let list)? = fields["NS.keys"] {
            keys = list
            values = members(field)
        } else if let mapping = self.place(fields["searchMapping"]) {
            keys = members(self.fields(mapping)["keys"]).map(ArchiveValue.reference)
            values = members(fields["values"])
        }
        guard keys.count == values.count else { return [] }
        return zip(keys, values).compactMap { key, value in string(key).map { ($0, value) } }
    }
}
