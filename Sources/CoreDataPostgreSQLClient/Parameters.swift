import CPostgreSQL
import Foundation

/// The parameters of a statement in the server's binary form, in one piece of memory.
///
/// A caller that runs a statement many times uses one object and empties it before each run, so
/// that values need no memory of their own. Between ``beginArray(of:)`` and ``endArray()`` the
/// appended values are the elements of an array.
///
/// Invariant: `kinds` and `offsets` have the same count.
package final class Parameters {
    // Unchecked because one thread at a time uses the object, and every value uses these fields.
    @exclusivity(unchecked) @usableFromInline var fields = FieldBuffer(capacity: 1 << 10)
    @exclusivity(unchecked) @usableFromInline var kinds: ContiguousArray<UInt32> = []
    /// The offset of each value's length.
    @exclusivity(unchecked) @usableFromInline var offsets: ContiguousArray<Int> = []
    /// The open array.
    @exclusivity(unchecked) @usableFromInline var array: OpenArray?

    @usableFromInline struct OpenArray {
        let kind: ValueKind
        /// The offset of the array's length.
        let offset: Int
        @usableFromInline var count: UInt32 = 0
        @usableFromInline var hasNulls = false
    }

    package init() {}

    package var count: Int { kinds.count }

    package func removeAll() {
        assert(array == nil, "an array is open")
        fields.removeAll()
        kinds.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
    }

    @inlinable func begin(_ kind: ValueKind) {
        if array != nil {
            assert(array?.kind == kind, "the elements of the array have another type")
            array?.count += 1
        } else {
            kinds.append(kind.rawValue)
            offsets.append(fields.count)
        }
    }
}

/// Values.
extension Parameters {
    @inlinable package func append(null kind: ValueKind) {
        begin(kind)
        array?.hasNulls = true
        fields.appendNull()
    }

    @inlinable package func append(bool value: Bool) {
        begin(.bool)
        fields.append(bool: value)
    }

    @inlinable package func append(int2 value: Int16) {
        begin(.int2)
        fields.append(int2: value)
    }

    @inlinable package func append(int4 value: Int32) {
        begin(.int4)
        fields.append(int4: value)
    }

    @inlinable package func append(int8 value: Int64) {
        begin(.int8)
        fields.append(int8: value)
    }

    @inlinable package func append(float8 value: Double) {
        begin(.float8)
        fields.append(float8: value)
    }

    package func append(numeric value: Decimal) {
        begin(.numeric)
        fields.append(numeric: value)
    }

    package func append(uuid value: UUID) {
        begin(.uuid)
        fields.append(uuid: value)
    }

    /// - Throws: an error if the text contains U+0000. The parameters must then be emptied.
    package func append(text value: String) throws(ServerError) {
        begin(.text)
        try fields.append(text: value)
    }

    /// Appends a text in UTF-8; see ``append(text:)``.
    package func append(textBytes bytes: UnsafeRawBufferPointer) throws(ServerError) {
        begin(.text)
        try fields.append(textBytes: bytes)
    }

    package func append(bytea bytes: UnsafeRawBufferPointer) throws(ServerError) {
        begin(.bytea)
        try fields.append(bytes: bytes)
    }

    package func append(data: Data) throws(ServerError) {
        begin(.bytea)
        try fields.append(data: data)
    }
}

/// The form of an array: the number of its dimensions, whether it has NULLs, the type of the
/// elements, then the count and the first index of the only dimension, then the elements.
enum ArrayForm {
    static let headerSize = 20
    static let emptySize = 12
    static let nullsOffset = 4
    static let countOffset = 12
}

/// Arrays.
extension Parameters {
    /// Begins an array, whose elements are the values that are appended until ``endArray()``.
    package func beginArray(of kind: ValueKind) {
        assert(array == nil, "an array is already open")
        kinds.append(kind.array)
        offsets.append(fields.count)
        array = OpenArray(kind: kind, offset: fields.count)
        fields.appendWord(0)
        fields.appendWord(1)
        fields.appendWord(0)
        fields.appendWord(kind.rawValue)
        fields.appendWord(0)
        fields.appendWord(1)
    }

    package func endArray() {
        guard let array else { return assertionFailure("no array is open") }
        self.array = nil
        let start = array.offset + 4
        if array.count == 0 {
            // An empty array has no dimension.
            fields.setWord(0, at: start)
            fields.count = start + ArrayForm.emptySize
        } else {
            fields.setWord(array.hasNulls ? 1 : 0, at: start + ArrayForm.nullsOffset)
            fields.setWord(array.count, at: start + ArrayForm.countOffset)
        }
        fields.setWord(UInt32(fields.count - start), at: array.offset)
    }

    package func append(int8s values: some Sequence<Int64>) {
        beginArray(of: .int8)
        for value in values { append(int8: value) }
        endArray()
    }

    package func append(texts values: some Sequence<String>) throws(ServerError) {
        beginArray(of: .text)
        for value in values { try append(text: value) }
        endArray()
    }
}

/// The form for libpq.
extension Parameters {
    /// Calls the body with the arguments that libpq expects: count, types, values, lengths and
    /// formats.
    func withArguments<T>(
        _ body: (
            Int32, UnsafePointer<UInt32>?, UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> T
    ) -> T {
        assert(array == nil, "an array is open")
        let count = kinds.count
        return withUnsafeTemporaryAllocation(
            of: UnsafePointer<CChar>?.self, capacity: count
        ) { values in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { numbers in
                for index in 0..<count {
                    let field = fields.start + offsets[index]
                    let length = Int32(bitPattern: cpostgresql_read32(field))
                    values.initializeElement(
                        at: index,
                        to: length < 0
                            ? nil : UnsafePointer((field + 4).assumingMemoryBound(to: CChar.self)))
                    numbers.initializeElement(at: index, to: max(0, length))
                    numbers.initializeElement(at: count + index, to: 1)
                }
                return kinds.withUnsafeBufferPointer { kinds in
                    body(
                        Int32(count), kinds.baseAddress,
                        values.baseAddress.map { UnsafePointer($0) },
                        numbers.baseAddress.map { UnsafePointer($0) },
                        numbers.baseAddress.map { UnsafePointer($0 + count) })
                }
            }
        }
    }

    /// The values as text, for logs.
    package var descriptions: [String] {
        zip(kinds, offsets).map { kind, offset in
            let field = fields.start + offset
            let length = Int32(bitPattern: cpostgresql_read32(field))
            return Cell(bytes: field + 4, length: length).description(kind)
        }
    }
}
