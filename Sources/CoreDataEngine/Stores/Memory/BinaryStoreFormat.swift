import CoreDataModel
import Foundation

/// Binary stores as bytes; the format is Faultline's own.
///
/// A line with the format's name and version; UUID; metadata as a binary property list; the last
/// key; then each entity with rows: its name, the names of its attributes and to-one
/// relationships, those of its to-many relationships, and its rows (key, version, values,
/// members). Numbers are little-endian, texts have their length in front, values a byte that says
/// what they are. `WholeFile` reads and writes it.
struct BinaryStoreFormat: WholeFileFormat {
    var type: String { NSBinaryStoreType }

    static let signature = Array("Faultline binary store 1\n".utf8)

    func claims(_ data: Data) -> Bool { data.starts(with: Self.signature) }

    // MARK: Writing

    func data(for document: MemoryDocument) throws(CoreDataError) -> Data {
        var writer = ByteWriter()
        try writeHead(document.metadata, into: &writer)
        let content = document.content
        writer.append(content.lastKey)
        let entities = content.layout.entities
        writer.append(UInt32(entities.count))
        for entity in entities { write(entity, content, into: &writer) }
        return Data(writer.bytes)
    }

    private func writeHead(
        _ metadata: MemoryMetadata, into writer: inout ByteWriter
    ) throws(CoreDataError) {
        writer.bytes += Self.signature
        writer.append(metadata.identifier)
        writer.append(Array(try StoreMetadata.encode(metadata.values)))
    }

    private func write(
        _ entity: EntityLayout, _ content: MemoryContent, into writer: inout ByteWriter
    ) {
        writer.append(entity.name)
        writer.append(UInt32(entity.values.count))
        for slot in entity.values { writer.append(slot.name) }
        writer.append(UInt32(entity.toMany.count))
        for slot in entity.toMany { writer.append(slot.name) }
        let keys = content.keys(of: entity, includesSubentities: false)
        writer.append(UInt32(keys.count))
        for key in keys {
            guard let row = content.rows[entity.rootIndex][key] else { continue }
            writer.append(key)
            writer.append(row.version)
            for value in row.values { writer.append(value) }
            for members in row.members {
                writer.append(UInt32(members.count))
                for member in members { writer.append(member) }
            }
        }
    }

    // MARK: Reading

    func document(
        from data: Data, layout: ModelLayout, path: String
    ) throws(CoreDataError) -> MemoryDocument {
        do throws(ByteReader.Failure) {
            var reader = ByteReader(data)
            let metadata = try head(&reader)
            var content = MemoryContent(layout: layout)
            let lastKey: Int64 = try reader.integer()
            let count: UInt32 = try reader.integer()
            // References come before the entities that they name.
            var names: [String] = []
            var rows: [ReadRow] = []
            for index in 0..<Int(count) {
                names.append(try readEntity(index, layout, &reader, into: &rows))
            }
            let indexes = names.map { layout.entity(named: $0)?.index }
            for row in rows { row.insert(into: &content, indexes) }
            content.lastKey = max(content.lastKey, lastKey)
            return MemoryDocument(content: content, metadata: metadata)
        } catch {
            throw Self.damaged(path, error)
        }
    }

    func metadata(from data: Data, path: String) throws(CoreDataError) -> MemoryMetadata {
        var reader = ByteReader(data)
        do throws(ByteReader.Failure) { return try head(&reader) } catch {
            throw Self.damaged(path, error)
        }
    }

    func replacing(
        _ metadata: MemoryMetadata, in data: Data, path: String
    ) throws(CoreDataError) -> Data {
        var reader = ByteReader(data)
        do throws(ByteReader.Failure) { _ = try head(&reader) } catch {
            throw Self.damaged(path, error)
        }
        var writer = ByteWriter()
        try writeHead(metadata, into: &writer)
        return Data(writer.bytes) + reader.rest
    }

    private func head(_ reader: inout ByteReader) throws(ByteReader.Failure) -> MemoryMetadata {
        try reader.expect(Self.signature)
        let identifier = try reader.text()
        return MemoryMetadata(
            identifier: identifier, type: type, values: StoreMetadata.decode(try reader.data()))
    }

    private static func damaged(_ path: String, _ failure: ByteReader.Failure) -> CoreDataError {
        StoreFile.error(
            .fileReadCorrupt, path,
            "is no binary store, or damaged at byte \(failure.offset); restore it from a copy")
    }

    /// Reads one entity with its rows; returns its name.
    private func readEntity(
        _ index: Int, _ layout: ModelLayout, _ reader: inout ByteReader,
        into rows: inout [ReadRow]
    ) throws(ByteReader.Failure) -> String {
        let name = try reader.text()
        let entity = layout.entity(named: name)
        let values = try reader.texts().map { entity?.valueSlot(named: $0) }
        let lists = try reader.texts().map { entity?.toManySlot(named: $0) }
        let count: UInt32 = try reader.integer()
        for _ in 0..<Int(count) {
            let key: Int64 = try reader.integer()
            let version: Int32 = try reader.integer()
            var row = ReadRow(entity: entity, key: key, version: version)
            for slot in values {
                let value = try reader.value()
                if let slot { row.values.append((slot, value)) }
            }
            for slot in lists {
                let members = try reader.references()
                if let slot { row.members.append((slot, members)) }
            }
            if entity != nil { rows.append(row) }
        }
        return name
    }

    /// A row with references whose entities are numbered as in the file.
    private struct ReadRow {
        let entity: EntityLayout?
        let key: Int64
        let version: Int32
        var values: [(slot: Int, value: Value)] = []
        var members: [(slot: Int, keys: [ObjectKey])] = []

        func insert(into content: inout MemoryContent, _ indexes: [Int?]) {
            guard let entity else { return }
            func known(_ key: ObjectKey) -> ObjectKey? {
                guard indexes.indices.contains(Int(key.entity)) else { return nil }
                return indexes[Int(key.entity)].map { ObjectKey(entity: $0, key: key.key) }
            }
            var row = MemoryContent.Row(
                entity: entity.index, version: version,
                values: Array(repeating: .null, count: entity.values.count),
                members: Array(repeating: [], count: entity.toMany.count))
            for (slot, value) in values {
                if case .reference(let key) = value {
                    row.values[slot] = known(key).map { .reference($0) } ?? .null
                } else {
                    row.values[slot] = value
                }
            }
            for (slot, keys) in members { row.members[slot] = keys.compactMap(known) }
            content.insert(row, key: key)
        }
    }
}
