import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Reads and changes transformable attributes, and attributes without a type, as the objects that
/// the program uses.
extension NSManagedObject {
    /// Reads an attribute that a transformer decodes, or an attribute without a type.
    ///
    /// Also returns nil if the value has another class or cannot be decoded. Decodes at the first
    /// access after a fetch.
    public final func readTransformed<T>(_ slot: Int) -> T? {
        reading(layout.values[slot].name) { () throws(CoreDataError) in
            shownValue(try value(at: slot), slot) as? T
        }
    }

    /// Changes an attribute that a transformer decodes, or an attribute without a type. The
    /// transformer is called when the object is saved.
    public final func writeTransformed(_ slot: Int, _ value: Any?) {
        orTrap { () throws(CoreDataError) in
            try setValue(try storable(value, slot), at: slot)
        }
    }

    /// The object for a value that may be older than the current value.
    ///
    /// Returns nil for an archive that cannot be decoded. The log then reports the reason once.
    final func programValue(_ value: Value, _ slot: Int) -> Any? {
        do throws(CoreDataError) { return try decodedValue(value, slot) } catch {
            EngineLog.errorOnce(error.message)
            return nil
        }
    }

    /// The object that a getter returns.
    ///
    /// A getter cannot throw. If an archive cannot be decoded, the coordinator's handler is called,
    /// as for a fault that cannot be fired, and the result is nil. The process continues, whatever
    /// the handler returns. If the handler does not make the object inaccessible, the log reports
    /// the reason once.
    final func shownValue(_ value: Value, _ slot: Int) -> Any? {
        do throws(CoreDataError) { return try decodedValue(value, slot) } catch {
            if respond(to: error, key: layout.values[slot].name) {
                becomeInaccessible()
            } else {
                EngineLog.errorOnce(error.message)
            }
            return nil
        }
    }

    /// The object that a stored value represents.
    ///
    /// - Throws: 134060 for an archive that cannot be decoded.
    private func decodedValue(_ value: Value, _ slot: Int) throws(CoreDataError) -> Any? {
        switch value {
        case .object(let held): return held.object
        case .data(let data):
            guard case .transformed(let name) = layout.values[slot].coding else { return data }
            return try decoded(data, by: name, slot)
        case .null, .integer, .double, .string, .uuid, .decimal, .reference:
            return AttributeCoding.object(from: value, kind: layout.values[slot].kind)
        }
    }

    private func decoded(
        _ data: Data, by name: String?, _ slot: Int
    ) throws(CoreDataError) -> Any {
        let decoded = registry?.context?.decodedValues
        let place = DecodedValues.Place(
            key: objectKey, slot: slot, cells: cells.map { UInt(bitPattern: $0) } ?? 0)
        if let known = decoded?.object(at: place, of: data) { return known }
        let object = try TransformedValues.object(
            of: data, by: name, layout.values[slot], of: layout)
        decoded?.keep(object, at: place, of: data)
        return object
    }

    /// The value of a slot. Archived bytes are replaced by the decoded object.
    final func decodedSlot(_ slot: Int) throws(CoreDataError) -> Value {
        let value = currentValue(at: slot)
        guard case .data = value, layout.values[slot].coding.isTransformed else { return value }
        return try decodeTransformed(slot).map { .object(_HeldObject($0)) } ?? .null
    }

    /// Decodes the values of a realised object, for callers that can throw. Getters later return
    /// the decoded objects.
    ///
    /// - Throws: 134060 with the attribute's name for an archive that cannot be decoded.
    final func decodeTransformed() throws(CoreDataError) {
        guard hasTransformedValues else { return }
        for slot in layout.transformedSlots { try decodeTransformed(slot) }
    }

    /// Decodes the value of one attribute; nil for an attribute without a transformer.
    ///
    /// - Throws: 134060 with the attribute's name for an archive that cannot be decoded.
    @discardableResult
    final func decodeTransformed(_ slot: Int) throws(CoreDataError) -> Any? {
        guard layout.values[slot].coding.isTransformed else { return nil }
        do throws(CoreDataError) { return try decodedValue(currentValue(at: slot), slot) } catch {
            var failure = error
            failure.payload = .init(userInfo: [
                NSValidationKeyErrorKey: layout.values[slot].name,
                NSAffectedObjectsErrorKey: [self],
            ])
            throw failure
        }
    }

    final var hasTransformedValues: Bool {
        layoutReference._withUnsafeGuaranteedRef { !$0.transformedSlots.isEmpty }
    }

    /// Encodes the changed transformable values at the start of a save.
    ///
    /// - Throws: 134060 if an attribute's value cannot be encoded.
    final func encodeTransformed() throws(CoreDataError) {
        guard let pending else { return }
        for slot in layout.transformedSlots where pending.isSet(slot) {
            guard case .object(let held) = pending[slot] else { continue }
            held.bytes = try bytes(of: held, slot)
        }
    }

    private func bytes(of held: _HeldObject, _ slot: Int) throws(CoreDataError) -> Data {
        guard case .transformed(let name) = layout.values[slot].coding else {
            assertionFailure("the attribute has no transformer, but its value is an object")
            return Data()
        }
        do throws(CoreDataError) {
            return try TransformedValues.bytes(
                of: held.object, by: name, layout.values[slot], of: layout)
        } catch {
            guard isInMemory else { throw error }
            return MemoryObjects.shared.name(of: held.object)
        }
    }

    private var isInMemory: Bool {
        let stores = registry?.context?.persistentStoreCoordinator?.persistentStores ?? []
        return !stores.isEmpty && stores.allSatisfy { $0.type == NSInMemoryStoreType }
    }

    /// The value that a row stores: the bytes from the transformer, or null if the attribute has no
    /// type.
    final func storedForm(of value: Value, _ slot: Int) -> Value {
        guard case .object(let held) = value else { return value }
        guard layout.values[slot].coding.isTransformed else { return .null }
        if let bytes = held.bytes { return .data(bytes) }
        do throws(CoreDataError) { return .data(try bytes(of: held, slot)) } catch {
            EngineLog.errorOnce(error.message)
            return .null
        }
    }
}

/// The objects that a context has decoded. With it, reading an attribute twice returns the same
/// object.
final class DecodedValues {
    /// A slot of one row.
    struct Place: Hashable {
        let key: ObjectKey
        let slot: Int
        /// The address of the row. A refresh attaches another row, so the value is then decoded
        /// again.
        let cells: UInt
    }

    /// The maximum number of cached objects. A larger cache would keep unused objects in memory.
    private static let countMax = 512

    private var known: [Place: (bytes: Data, object: Any)] = [:]

    /// The cached object for a slot of a row. The bytes are compared, because a new row may have
    /// the address of a freed row.
    func object(at place: Place, of bytes: Data) -> Any? {
        guard let entry = known[place], entry.bytes == bytes else { return nil }
        return entry.object
    }

    func keep(_ object: Any, at place: Place, of bytes: Data) {
        if known.count >= Self.countMax { known.removeAll(keepingCapacity: true) }
        known[place] = (bytes, object)
    }
}
