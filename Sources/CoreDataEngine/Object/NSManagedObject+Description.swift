import CoreDataModel
import CoreDataStore
import Foundation

/// The printed form of objects, as in Core Data's logs. Does not fire faults or read from a store.
extension NSManagedObject {
    final var text: String { identityText + " data: \(dataText))" }

    /// The part of the description that any thread may print. The values may be read only on the
    /// queue of the object's context.
    final var identityText: String {
        let address = String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), radix: 16)
        return "<\(type(of: self)): 0x\(address)> (entity: \(layout.name); id: \(objectID);"
    }

    private var dataText: String {
        if state.contains(.fault) { return "<fault>" }
        var lines: [(name: String, text: String)] = []
        for (slot, property) in layout.values.enumerated() {
            lines.append((property.name, valueText(slot, property)))
        }
        for (slot, property) in layout.toMany.enumerated() {
            lines.append((property.name, membersText(slot, property.name)))
        }
        lines.sort { $0.name < $1.name }
        return "{\n" + lines.map { "    \($0.name) = \($0.text);\n" }.joined() + "}"
    }

    private func valueText(_ slot: Int, _ property: ValueSlot) -> String {
        switch currentValue(at: slot) {
        case .null: return "nil"
        case .integer(let number): return "\(number)"
        case .double(let number):
            guard property.kind == .date else { return "\(number)" }
            return "\"\(Date(timeIntervalSinceReferenceDate: number))\""
        case .decimal(let number): return "\"\(number)\""
        case .string(let text): return "\"\(text)\""
        case .uuid(let uuid): return "\"\(uuid)\""
        case .data(let data):
            let start = data.prefix(24).map { String(format: "%02x", $0) }.joined()
            return "\"{length = \(data.count), bytes = 0x\(start)\(data.count > 24 ? "…" : "")}\""
        case .reference(let key):
            return registry.map { "\"\($0.identifier(of: key))\"" } ?? "nil"
        case .object(let object): return "\"\(object)\""
        }
    }

    private func membersText(_ slot: Int, _ name: String) -> String {
        guard relationships?.members(slot)?.isLoaded == true, let registry, registry.hasContext
        else { return "\"<relationship fault: '\(name)'>\"" }
        let ids = readObjects(slot).map { "        \"\($0.objectID)\"" }
        return ids.isEmpty ? "()" : "(\n\(ids.joined(separator: ",\n"))\n    )"
    }
}
