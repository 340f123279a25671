import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Converts between the objects of transformable attributes and their bytes.
///
/// A system transformer reads an archive, so its reverse transformation creates the bytes. A custom
/// transformer creates the bytes by its transformation. Source: semantics.md §10.
enum TransformedValues {
    /// The bytes of an object.
    ///
    /// - Throws: 134060 if the transformer returns no bytes for the object.
    static func bytes(
        of object: Any, by name: String?, _ slot: ValueSlot, of entity: EntityLayout
    ) throws(CoreDataError) -> Data {
        let use = try TransformerUse(name, slot, of: entity)
        let (made, failure) = ArchiveFailures.collected {
            use.readsArchives
                ? use.transformer.reverseTransformedValue(object)
                : use.transformer.transformedValue(object)
        }
        if let data = AttributeCoding.flattened(made) as? Data {
            use.noteLack(slot, of: entity)
            return data
        }
        let why = failure?.reason ?? "\(use) returns no Data for a \(Swift.type(of: object))"
        throw TransformerUse.error(slot, of: entity, "cannot hold the value: \(why)\(use.lack).")
    }

    /// The object for bytes.
    ///
    /// - Throws: 134060 if the transformer returns no object for the bytes.
    static func object(
        of data: Data, by name: String?, _ slot: ValueSlot, of entity: EntityLayout
    ) throws(CoreDataError) -> Any {
        if let object = MemoryObjects.shared.object(named: data) { return object }
        let use = try TransformerUse(name, slot, of: entity)
        let (made, failure) = ArchiveFailures.collected {
            use.readsArchives
                ? use.transformer.transformedValue(data)
                : use.transformer.reverseTransformedValue(data)
        }
        if let object = AttributeCoding.flattened(made) {
            use.noteLack(slot, of: entity)
            return object
        }
        let why = failure?.reason ?? "\(use) returns no object for \(data.count) bytes"
        throw TransformerUse.error(
            slot, of: entity,
            "cannot be read: \(why)\(use.lack). The row keeps its bytes until the attribute is"
                + " set.")
    }

    /// Calls a transformer. Returns nil if it fails. The failure is recorded for the current save
    /// or fault; without one, it is logged.
    static func noting<T>(_ body: () throws(ArchiveFailure) -> T) -> T? {
        do throws(ArchiveFailure) { return try body() } catch {
            if !ArchiveFailures.note(error) {
                EngineLog.errorOnce("A value transformer failed: \(error.reason).")
            }
            return nil
        }
    }
}

/// An attribute's transformer, and the direction in which it is used.
private struct TransformerUse: CustomStringConvertible {
    let transformer: ValueTransformer
    /// Whether `transformedValue(_:)` decodes an archive, so that the reverse transformation
    /// encodes it.
    let readsArchives: Bool
    /// The transformer name in the model if no transformer with this name is registered.
    private var missing: String?

    /// The transformer for attributes without a transformer name: keyed archives of any class.
    /// Shared without a guard because it has no state.
    private nonisolated(unsafe) static let standard = KeyedUnarchiveTransformer()

    init(
        _ name: String?, _ slot: ValueSlot, of entity: EntityLayout
    ) throws(CoreDataError) {
        let named = name.flatMap { $0.isEmpty ? nil : $0 }
        let found = named.flatMap { TransformerDirectory.shared.find($0) }
        transformer = found ?? Self.standard
        if found == nil { missing = named }
        guard type(of: transformer).allowsReverseTransformation() else {
            throw Self.error(
                slot, of: entity,
                "cannot be used: the value transformer '\(named ?? "")' does not allow reverse"
                    + " transformation; override allowsReverseTransformation().")
        }
        let isSystems =
            transformer is NSSecureUnarchiveFromDataTransformer
            || transformer is KeyedUnarchiveTransformer
        readsArchives = isSystems && !(type(of: transformer).transformedValueClass() is NSData.Type)
    }

    var description: String { "the transformer \(type(of: transformer))" }

    /// The last clause of an error message if no transformer with the name is registered.
    var lack: String {
        missing.map { ", and no value transformer named '\($0)' is registered" } ?? ""
    }

    func noteLack(_ slot: ValueSlot, of entity: EntityLayout) {
        guard let missing else { return }
        EngineLog.errorOnce(
            "No value transformer named '\(missing)' was found for the attribute '\(slot.name)' of"
                + " '\(entity.name)'; keyed archives are used. Register one with"
                + " ValueTransformer.setValueTransformer(_:forName:) before the value is used.")
    }

    static func error(
        _ slot: ValueSlot, of entity: EntityLayout, _ what: String
    ) -> CoreDataError {
        CoreDataError(
            .invalidArgument,
            "The transformable attribute '\(slot.name)' of '\(entity.name)' \(what)")
    }
}
