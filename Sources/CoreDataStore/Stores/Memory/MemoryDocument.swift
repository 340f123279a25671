import CoreDataModel

/// The whole content of a store in memory: its rows and its metadata. The formats of whole files
/// convert it to bytes and back.
struct MemoryDocument: Sendable {
    package var content: MemoryContent
    package var metadata: MemoryMetadata
}

/// The metadata of a store that is held in memory as a whole.
package struct MemoryMetadata: Sendable {
    package var identifier: String
    package let type: String
    /// The metadata except for the type and the UUID.
    package private(set) var values: [String: any Sendable]
    /// Whether the next save must write the metadata.
    package var isChanged = false

    package init(identifier: String, type: String, values: [String: any Sendable]) {
        self.identifier = identifier
        self.type = type
        self.values = values
        self.values[StoreMetadata.typeKey] = nil
        self.values[StoreMetadata.identifierKey] = nil
    }

    package var shown: [String: any Sendable] {
        var result = values
        result[StoreMetadata.typeKey] = type
        result[StoreMetadata.identifierKey] = identifier
        return result
    }

    /// Replaces the custom values, and keeps the values that describe the model.
    package mutating func replace(with metadata: [String: any Sendable]) {
        var kept = values.filter { StoreMetadata.isOwn($0.key) }
        for (key, value) in metadata
        where !StoreMetadata.isOwn(key) && key != StoreMetadata.identifierKey {
            kept[key] = value
        }
        values = kept
        isChanged = true
    }
}

extension MemoryMetadata {
    package static let depthMax = 32

    /// Converts metadata to values that a file can contain.
    ///
    /// - Throws: `invalidArgument` for a value that is not a property list, or is nested too deeply
    ///   to be read again.
    package static func writable(
        _ values: [String: any Sendable]
    ) throws(CoreDataError) -> [String: any Sendable] {
        let writable = StoreMetadata.decode(try StoreMetadata.encode(values))
        guard depth(writable, limit: depthMax) <= depthMax else {
            throw CoreDataError(
                .invalidArgument,
                "Store metadata is nested more than \(depthMax) levels deep; nest arrays and"
                    + " dictionaries less deeply.")
        }
        return writable
    }

    private static func depth(_ value: any Sendable, limit: Int) -> Int {
        guard limit > 0 else { return 1 }
        let parts: [any Sendable]
        switch value {
        case let array as [any Sendable]: parts = array
        case let dictionary as [String: any Sendable]: parts = Array(dictionary.values)
        default: return 0
        }
        return 1 + (parts.map { depth($0, limit: limit - 1) }.max() ?? 0)
    }
}
