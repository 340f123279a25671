import CoreDataModel
import Foundation

/// The bytes of binary stores, in a format of Faultline.
///
/// The file contains, in this order:
///
/// - a line with the format's name and version
/// - the number of bytes that follow, and their checksum
/// - the UUID, the metadata and the last key
/// - each entity: its name, the names of its attributes and to-one relationships, those of its
///   to-many relationships, and its rows (key, version, values, members)
///
/// Numbers are little-endian. A text begins with its length, and a value with a byte for its kind.
/// `WholeFile` reads and writes the file.
///
/// Version 1 had neither length nor checksum. No release has written it, so it is not supported.
struct BinaryStoreFormat: WholeFileFormat {
    package var type: String { NSBinaryStoreType }

    private static let name = Array("Faultline binary store ".utf8)
    private static let signature = name + Array("2\n".utf8)
    private static let headSize = signature.count + 16

    package func claims(_ data: Data) -> Bool { data.starts(with: Self.name) }

    // MARK: Writing

    package func data(for document: MemoryDocument) throws(CoreDataError) -> Data {
        var writer = try head(document.metadata)
        let content = document.content
        writer.append(content.lastKey)
        let entities = content.layout.entities
        writer.append(UInt32(entities.count))
        for entity in entities { try write(entity, content, into: &writer) }
        return Self.sealed(Data(writer.bytes))
    }

    private static func sealed(_ content: Data) -> Data {
        var writer = ByteWriter(bytes: signature)
        writer.append(UInt64(content.count))
        writer.append(Checksum(content).value)
        return Data(writer.bytes) + content
    }

    private func head(_ metadata: MemoryMetadata) throws(CoreDataError) -> ByteWriter {
        var writer = ByteWriter()
        writer.append(metadata.identifier)
        try writer.append(metadata: metadata.values)
        return writer
    }

    private func write(
        _ entity: EntityLayout, _ content: MemoryContent, into writer: inout ByteWriter
    ) throws(CoreDataError) {
        writer.append(entity.name)
        writer.append(UInt32(entity.values.count))
        for slot in entity.values { writer.append(slot.name) }
        writer.append(UInt32(entity.toMany.count))
        for slot in entity.toMany { writer.append(slot.name) }
        let keys = content.keys(of: entity, includesSubentities: false)
        writer.append(UInt32(keys.count))
        for key in keys {
            guard let row = content.rows[entity.rootIndex][key] else { continue }
            let stored = try StoredRow(row, key, content)
            writer.append(key)
            writer.append(row.version)
            for value in stored.values { writer.append(value) }
            for members in stored.members {
                writer.append(UInt32(members.count))
                for member in members { writer.append(member) }
            }
        }
    }

    // MARK: Reading

    package func document(
        from data: Data, layout: ModelLayout
    ) throws(FileFinding) -> MemoryDocument {
        var reader = try open(data)
        let metadata = try head(&reader)
        let lastKeyOffset = reader.offset
        let lastKey: Int64 = try reader.integer()
        // References are written before the entities to which they refer.
        var entities: [EntityLayout] = []
        var rows: [ReadRow] = []
        for _ in 0..<(try reader.count()) {
            let entity = try readEntity(layout, &reader, into: &rows)
            guard !entities.contains(where: { $0 === entity }) else {
                throw reader.finding("the entity \(entity.name) appears twice")
            }
            entities.append(entity)
        }
        guard reader.isAtEnd else {
            throw reader.finding("the file has data after the end of the store")
        }
        var builder = ContentBuilder(layout: layout)
        for row in rows { try builder.add(try row.draft(entities)) }
        return MemoryDocument(
            content: try builder.finish(lastKey: lastKey, at: lastKeyOffset), metadata: metadata)
    }

    package func metadata(from data: Data) throws(FileFinding) -> MemoryMetadata {
        var reader = try open(data)
        return try head(&reader)
    }

    package func verify(_ data: Data) throws(FileFinding) { _ = try open(data) }

    package func replacing(
        _ metadata: MemoryMetadata, in data: Data
    ) throws(CoreDataError) -> Data {
        guard var reader = try? open(data), (try? head(&reader)) != nil else { return data }
        return Self.sealed(Data(try head(metadata).bytes) + data.dropFirst(reader.offset))
    }

    package func place(of offset: Int, in data: Data) -> String { ", byte \(offset)," }

    /// Checks the length and the checksum before any content is read.
    private func open(_ data: Data) throws(FileFinding) -> ByteReader {
        var reader = ByteReader(data)
        guard data.starts(with: Self.name) else {
            throw FileFinding(0, "the file does not begin with the bytes of the format")
        }
        guard data.starts(with: Self.signature) else {
            throw FileFinding(
                Self.name.count, "the format is not version 2, the only supported version")
        }
        _ = try reader.take(Self.signature.count)
        let count: UInt64 = try reader.integer()
        let checksum: UInt64 = try reader.integer()
        let content = data.dropFirst(Self.headSize)
        guard count == UInt64(content.count) else {
            throw FileFinding(
                Self.signature.count,
                "\(count) bytes should follow the header, but the file has \(content.count)")
        }
        guard Checksum(content).value == checksum else {
            throw FileFinding(Self.headSize, "the bytes do not match the checksum")
        }
        return reader
    }

    private func head(_ reader: inout ByteReader) throws(FileFinding) -> MemoryMetadata {
        let identifier = try reader.text()
        guard UUID(uuidString: identifier) != nil else {
            throw reader.finding("'\(identifier)' is not a UUID")
        }
        return MemoryMetadata(
            identifier: identifier, type: type, values: try reader.metadata())
    }

    private func readEntity(
        _ layout: ModelLayout, _ reader: inout ByteReader, into rows: inout [ReadRow]
    ) throws(FileFinding) -> EntityLayout {
        let name = try reader.text()
        guard let entity = layout.entity(named: name) else {
            throw reader.finding("the model has no entity '\(name)'")
        }
        var values: [Int] = []
        for name in try reader.texts() {
            guard let slot = entity.valueSlot(named: name) else {
                throw reader.finding("\(entity.name) has no attribute or to-one '\(name)'")
            }
            values.append(slot)
        }
        var lists: [Int] = []
        for name in try reader.texts() {
            guard let slot = entity.toManySlot(named: name) else {
                throw reader.finding("\(entity.name) has no to-many relationship '\(name)'")
            }
            lists.append(slot)
        }
        for _ in 0..<(try reader.count()) {
            var row = ReadRow(
                offset: reader.offset, entity: entity, key: try reader.integer(),
                version: try reader.integer())
            for slot in values { row.values.append((slot, try reader.value(), reader.offset)) }
            for slot in lists { row.members.append((slot, try reader.references())) }
            rows.append(row)
        }
        return entity
    }

    /// A row whose references use the entity numbers of the file.
    private struct ReadRow {
        let offset: Int
        let entity: EntityLayout
        let key: Int64
        let version: Int32
        var values: [(slot: Int, value: Value, offset: Int)] = []
        var members: [(slot: Int, keys: [ObjectKey])] = []

        func draft(_ entities: [EntityLayout]) throws(FileFinding) -> RowDraft {
            var draft = try RowDraft(entity, key: key, version: version, at: offset)
            for (slot, value, offset) in values {
                var value = value
                if case .reference(let key) = value {
                    value = .reference(try known(key, entities))
                }
                try draft.set(slot, value, at: offset)
            }
            for (slot, keys) in members {
                var exact: [ObjectKey] = []
                for key in keys { exact.append(try known(key, entities)) }
                try draft.set(toMany: slot, exact, at: offset)
            }
            return draft
        }

        private func known(
            _ key: ObjectKey, _ entities: [EntityLayout]
        ) throws(FileFinding) -> ObjectKey {
            guard entities.indices.contains(Int(key.entity)) else {
                throw FileFinding(offset, "a reference names the unknown entity \(key.entity)")
            }
            return ObjectKey(entity: entities[Int(key.entity)].index, key: key.key)
        }
    }
}
