import CoreDataModel
import CoreDataStore
import Foundation

/// Reads and sets composite attributes: dictionaries of elements, each of which has its own slot.
extension NSManagedObject {
    /// The dictionary of a composite attribute; nil if no element has a value.
    final func composite(_ slots: [Int], at path: String) throws(CoreDataError) -> Any? {
        let isFault = state.contains(.fault)
        try prepareAccess()
        if isHeard { for slot in slots { emitRead(slot, firedFault: isFault) } }
        return CompositeValue.dictionary(layout, slots, at: path) {
            shownValue(currentValue(at: $0), $0)
        }
    }

    /// Sets all elements of a composite attribute. Elements that are missing from the dictionary
    /// become nil.
    final func setComposite(
        _ value: Any?, _ slots: [Int], at path: String
    ) throws(CoreDataError) {
        let elements = try CompositeElements(value, layout, slots, at: path)
        try noticing(values: slots) { () throws(CoreDataError) in
            for slot in slots {
                let name = layout.values[slot].name
                try writeModelled(elements.values[slot] ?? nil, name)
            }
        }
    }

    /// Replaces the elements of each composite attribute by one dictionary.
    final func groupingComposites(_ values: [String: Any]) -> [String: Any] {
        guard layout.hasComposites else { return values }
        var grouped: [String: Any] = [:]
        for (name, value) in values {
            guard let dot = name.firstIndex(of: ".") else {
                grouped[name] = value
                continue
            }
            let path = String(name[..<dot])
            guard grouped[path] == nil, let slots = layout.elementSlots(ofComposite: path) else {
                continue
            }
            grouped[path] =
                CompositeValue.dictionary(layout, slots, at: path) { slot in
                    let value = values[layout.values[slot].name]
                    return value is NSNull ? nil : value
                } ?? NSNull()
        }
        return grouped
    }
}

/// Builds the dictionaries that programs see for composite attributes.
enum CompositeValue {
    /// Creates the dictionary of a composite attribute; nil if no element has a value.
    ///
    /// - Parameter value: returns the value of an element's slot.
    static func dictionary(
        _ layout: EntityLayout, _ slots: [Int], at path: String, _ value: (Int) -> Any?
    ) -> [String: Any]? {
        var made: [String: Any] = [:]
        var inner: Set<String> = []
        for slot in slots {
            let rest = layout.values[slot].name.dropFirst(path.count + 1)
            guard let dot = rest.firstIndex(of: ".") else {
                made[String(rest)] = value(slot)
                continue
            }
            let key = String(rest[..<dot])
            guard inner.insert(key).inserted,
                let innerSlots = layout.elementSlots(ofComposite: "\(path).\(key)")
            else { continue }
            made[key] = CompositeValue.dictionary(layout, innerSlots, at: "\(path).\(key)", value)
        }
        return made.isEmpty ? nil : made
    }
}

/// The values that a program sets for the elements of a composite attribute, by slot.
struct CompositeElements {
    private(set) var values: [Int: Any?] = [:]

    /// - Throws: `invalidArgument` if the value is not a dictionary or one of its keys is not an
    ///   element.
    init(
        _ value: Any?, _ layout: EntityLayout, _ slots: [Int], at path: String
    ) throws(CoreDataError) {
        guard let given = AttributeCoding.flattened(value) else { return }
        guard let elements = given as? [String: Any] else {
            throw CoreDataError(
                .invalidArgument,
                "Unacceptable type of value for attribute: property = \"\(path)\"; desired type ="
                    + " NSDictionary; given type = \(type(of: given)).")
        }
        for (key, element) in elements {
            let name = "\(path).\(key)"
            if let slot = layout.valueSlot(named: name) {
                values[slot] = element
            } else if let inner = layout.elementSlots(ofComposite: name) {
                let nested = try CompositeElements(element, layout, inner, at: name)
                values.merge(nested.values) { $1 }
            } else {
                let known = slots.map { layout.values[$0].name }.joined(separator: ", ")
                throw CoreDataError(
                    .invalidArgument,
                    "'\(key)' is not an element of the composite attribute '\(path)' of"
                        + " '\(layout.name)'; its elements are: \(known).")
            }
        }
    }
}
