import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Between the objects of transformable attributes and their bytes.
///
/// The system's transformers read archives, so that they are used in reverse when bytes are made;
/// a program's own make bytes when they transform. Source: semantics.md §10.
enum TransformedValues {
    /// The bytes of an object.
    ///
    /// - Throws: 134060 where there is no transformer, or it makes no bytes of the object.
    static func bytes(
        of object: Any, by name: String?, _ slot: ValueSlot, of entity: EntityLayout
    ) throws(CoreDataError) -> Data {
        let (transformer, isReversed) = try transformer(name, slot, of: entity)
        let made =
            isReversed
            ? transformer.reverseTransformedValue(object) : transformer.transformedValue(object)
        if let data = AttributeCoding.flattened(made) as? Data { return data }
        throw failure(
            slot, of: entity,
            "the transformer \(type(of: transformer)) makes no Data of a"
                + " \(Swift.type(of: object))")
    }

    /// The object of bytes.
    ///
    /// - Throws: 134060 where there is no transformer, or it makes no object of the bytes.
    static func object(
        of data: Data, by name: String?, _ slot: ValueSlot, of entity: EntityLayout
    ) throws(CoreDataError) -> Any {
        let (transformer, isReversed) = try transformer(name, slot, of: entity)
        let made =
            isReversed
            ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        if let object = AttributeCoding.flattened(made) { return object }
        throw failure(
            slot, of: entity,
            "the transformer \(type(of: transformer)) makes no object of \(data.count) bytes")
    }

    private static func transformer(
        _ name: String?, _ slot: ValueSlot, of entity: EntityLayout
    ) throws(CoreDataError) -> (ValueTransformer, isReversed: Bool) {
        let secure = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        let name = name.flatMap { $0.isEmpty ? nil : $0 } ?? secure
        guard let found = TransformerDirectory.shared.find(name) else {
            throw failure(
                slot, of: entity,
                "there is no value transformer named '\(name)'; register one with"
                    + " ValueTransformer.setValueTransformer(_:forName:) before the value is used")
        }
        guard type(of: found).allowsReverseTransformation() else {
            throw failure(
                slot, of: entity,
                "the value transformer '\(name)' does not allow reverse transformation")
        }
        let readsArchives =
            found is NSSecureUnarchiveFromDataTransformer || found is KeyedUnarchiveTransformer
        let givesData = type(of: found).transformedValueClass() is NSData.Type
        return (found, readsArchives && !givesData)
    }

    /// Tells why an archive could not be read or written; the transformer then gives nil.
    static func note(_ error: any Error) {
        EngineLog.errorOnce("a keyed archive of a transformable attribute failed: \(error)")
    }

    private static func failure(
        _ slot: ValueSlot, of entity: EntityLayout, _ why: String
    ) -> CoreDataError {
        CoreDataError(
            .invalidArgument,
            "The transformable attribute '\(slot.name)' of '\(entity.name)' cannot be used: \(why)."
        )
    }
}
