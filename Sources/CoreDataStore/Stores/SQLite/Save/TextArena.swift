import CoreDataSQL
import CoreDataSQLite
import CoreDataTrace
import Foundation

/// Memory for the strings of the rows that are bound to one statement.
///
/// SQLite reads bound strings in place until the statement has run. One block for all strings costs
/// less than one allocation for each.
struct TextArena: ~Copyable {
    private var bytes = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 16)
    private var capacity = 4096
    private var used = 0

    deinit { bytes.deallocate() }

    /// Reserves space for all strings of the values, so that no string moves while it is bound.
    ///
    /// - Parameter keepsData: whether bytes are also kept here. Otherwise SQLite copies them.
    package mutating func reset(
        for values: UnsafeBufferPointer<Value>, keepsData: Bool = false
    ) {
        var needed = 0
        for value in values {
            switch value {
            case .string(let string): needed += string.utf8.count
            case .uuid: needed += 16
            case .data(let data) where keepsData: needed += data.count
            default: break
            }
        }
        assert(used <= capacity, "the texts exceed their memory")
        used = 0
        guard needed > capacity else { return }
        bytes.deallocate()
        capacity = max(needed, capacity * 2)
        bytes = .allocate(byteCount: capacity, alignment: 16)
    }

    package mutating func keep(_ string: String) -> UnsafeRawBufferPointer {
        let kept = string.utf8.withContiguousStorageIfAvailable { keep(UnsafeRawBufferPointer($0)) }
        if let kept { return kept }
        return Array(string.utf8).withUnsafeBytes { keep($0) }
    }

    package mutating func keep(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        trap(
            unless: used + source.count <= capacity,
            "TextArena.keep: the text exceeds the reserved memory"
        )
        if let start = source.baseAddress {
            (bytes + used).copyMemory(from: start, byteCount: source.count)
        }
        defer { used += source.count }
        return UnsafeRawBufferPointer(start: bytes + used, count: source.count)
    }
}

extension Statement {
    /// Binds a value in the form in which its column stores it. The arena keeps strings until the
    /// statement has run.
    func bind(_ index: Int, value: Value, texts: inout TextArena) {
        switch value {
        case .null, .object: bind(index)
        case .integer(let integer): bind(index, integer: integer)
        case .double(let double): bind(index, double: double)
        case .string(let string): bind(index, lastingText: texts.keep(string))
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) { bind(index, lastingBlob: texts.keep($0)) }
        case .data(let data): data.withUnsafeBytes { bind(index, blob: $0) }
        // The column is numeric, as in Core Data, so a decimal is only as precise as a double.
        case .decimal(let decimal):
            bind(index, double: NSDecimalNumber(decimal: decimal).doubleValue)
        case .reference(let key): bind(index, integer: key.key)
        }
    }

    /// Binds a value for a single run of a statement. SQLite copies a string.
    package func bind(_ index: Int, value: Value) {
        switch value {
        case .string(let string): bind(index, text: string)
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bind(index, blob: $0) }
        case .null, .object: bind(index)
        case .integer(let integer): bind(index, integer: integer)
        case .double(let double): bind(index, double: double)
        case .data(let data): data.withUnsafeBytes { bind(index, blob: $0) }
        case .decimal(let decimal):
            bind(index, double: NSDecimalNumber(decimal: decimal).doubleValue)
        case .reference(let key): bind(index, integer: key.key)
        }
    }

    /// Binds the entity number (`Z_ENT`) of a to-one relationship's destination.
    func bind(_ index: Int, entityOf value: Value, numbers: EntityNumbers) {
        guard case .reference(let key) = value else { return bind(index) }
        bind(index, integer: numbers.number(of: Int(key.entity)))
    }
}
