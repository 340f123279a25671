import CPostgreSQL
import Foundation

/// A value of a result in the server's binary form, which is valid while the result exists.
///
/// The members for numbers return 0 for NULL, and the members for bytes return no bytes.
package struct Cell {
    @usableFromInline let start: UnsafeRawPointer?
    @usableFromInline let length: Int32

    @inlinable init(bytes: UnsafeRawPointer?, length: Int32) {
        start = bytes
        self.length = length
    }

    @inlinable package var isNull: Bool { length < 0 }

    @inlinable package var bytes: UnsafeRawBufferPointer {
        length > 0
            ? UnsafeRawBufferPointer(start: start, count: Int(length))
            : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The value of an integer type, a number of an object of the server, or a boolean.
    @inlinable package var integer: Int64 {
        guard let start else { return 0 }
        return switch length {
        case 8: Int64(bitPattern: cpostgresql_read64(start))
        case 4: Int64(Int32(bitPattern: cpostgresql_read32(start)))
        case 2: Int64(Int16(bitPattern: cpostgresql_read16(start)))
        case 1: Int64(start.load(as: UInt8.self))
        default: 0
        }
    }

    /// The value of `double precision` or `real`.
    @inlinable package var double: Double {
        guard let start else { return 0 }
        return switch length {
        case 8: Double(bitPattern: cpostgresql_read64(start))
        case 4: Double(Float(bitPattern: cpostgresql_read32(start)))
        default: 0
        }
    }

    @inlinable package var bool: Bool { integer != 0 }

    /// The characters of a text type.
    @inlinable package var text: String { String(decoding: bytes, as: UTF8.self) }

    package var data: Data { Data(bytes) }

    package var uuid: UUID? {
        guard length == 16, let start else { return nil }
        return UUID(uuid: start.loadUnaligned(as: uuid_t.self))
    }

    /// The value of `numeric`; nil for NULL, for an infinite number, and for a number that
    /// `Decimal` cannot represent exactly.
    package var decimal: Decimal? { isNull ? nil : Numeric.decimal(bytes) }

    /// The elements of an array of one dimension.
    package var elements: [Cell] {
        let all = bytes
        guard let first = all.baseAddress, all.count >= ArrayForm.headerSize else { return [] }
        var place = first + ArrayForm.headerSize
        return (0..<cpostgresql_read32(first + ArrayForm.countOffset)).map { _ in
            let length = Int32(bitPattern: cpostgresql_read32(place))
            let cell = Cell(bytes: place + 4, length: length)
            place += 4 + Int(max(0, length))
            return cell
        }
    }

    /// The value as text, for logs.
    func description(_ kind: UInt32) -> String {
        if isNull { return "nil" }
        guard let kind = ValueKind(rawValue: kind) else { return "(\(elements.count) values)" }
        return switch kind {
        case .bool: "\(bool)"
        case .int2, .int4, .int8: "\(integer)"
        case .float8: "\(double)"
        case .text: "\"\(text)\""
        case .bytea: "<\(bytes.count) bytes>"
        case .uuid: uuid?.uuidString ?? "nil"
        case .numeric: decimal?.description ?? "nil"
        }
    }
}
