import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataStore
import Foundation

/// An object that receives values in the server's binary form: the parameters of a statement, or
/// the rows of a COPY.
protocol ValueWriter: AnyObject {
    func append(null type: ServerType)
    func append(bool value: Bool)
    func append(int2 value: Int16)
    func append(int4 value: Int32)
    func append(int8 value: Int64)
    func append(float8 value: Double)
    func append(numeric value: Decimal)
    func append(uuid value: UUID)
    func append(text: String) throws(ServerError)
    func append(textBytes bytes: UnsafeRawBufferPointer) throws(ServerError)
    func append(bytea bytes: UnsafeRawBufferPointer) throws(ServerError)
}

extension Parameters: ValueWriter {}

extension CopyWriter: ValueWriter {
    func append(null type: ServerType) { appendNull() }
}

extension ValueWriter {
    func append(_ data: Data) throws(ServerError) {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(ServerError) in try append(bytea: bytes) }
        }
        try result.get()
    }

    /// Appends a value, converted to the type of its column.
    ///
    /// - Throws: an error for a text with U+0000, and for an integer that does not fit into the
    ///   column. The caller must then empty the parameters.
    func append(_ value: Value, as type: ServerType) throws(ServerError) {
        switch value {
        case .null, .object: append(null: type)
        case .integer(let integer): try append(integer, as: type)
        case .double(let double): append(double)
        case .decimal(let decimal): append(decimal)
        case .string(let text): try append(text: text)
        case .uuid(let uuid): append(uuid: uuid)
        case .data(let data): try append(data)
        case .reference(let key): append(int8: key.key)
        }
    }

    /// Appends a value directly from a packed row, without creating a `Value`.
    func append(
        _ cells: UnsafeRawPointer, _ slot: Int, _ kind: CoreDataModel.ValueKind
    ) throws(ServerError) {
        let type = kind.serverType
        if RowFormat.isNull(cells, slot: slot) { return append(null: type) }
        switch kind {
        case .integer16, .integer32, .integer64, .boolean:
            try append(Int64(bitPattern: RowFormat.word(cells, slot: slot)), as: type)
        case .double, .float, .date:
            append(Double(bitPattern: RowFormat.word(cells, slot: slot)))
        case .string, .uri: try append(textBytes: RowFormat.bytes(cells, slot: slot))
        case .binary: try append(bytea: RowFormat.bytes(cells, slot: slot))
        case .toOne: append(int8: ObjectKey(packed: RowFormat.word(cells, slot: slot)).key)
        case .decimal, .uuid:
            try append(RowFormat.value(cells, slot: slot, kind: kind), as: type)
        }
    }

    private func append(_ integer: Int64, as type: ServerType) throws(ServerError) {
        switch type {
        case .bool: append(bool: integer != 0)
        case .int2:
            guard let small = Int16(exactly: integer) else { throw .unfit(integer, type) }
            append(int2: small)
        case .int4:
            guard let small = Int32(exactly: integer) else { throw .unfit(integer, type) }
            append(int4: small)
        default: append(int8: integer)
        }
    }

    /// NaN is stored as a missing value, as in SQLite stores.
    private func append(_ double: Double) {
        if double.isNaN { append(null: .float8) } else { append(float8: double) }
    }

    private func append(_ decimal: Decimal) {
        if decimal.isNaN { append(null: .numeric) } else { append(numeric: decimal) }
    }
}

extension ServerError {
    fileprivate static func unfit(_ integer: Int64, _ type: ServerType) -> ServerError {
        ServerError(client: "\(integer) does not fit into \(type.name)")
    }
}
