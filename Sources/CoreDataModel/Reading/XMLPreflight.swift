import Foundation

/// Looks a file over for XML that Foundation's parser does not survive.
///
/// It ends the process at a processing instruction without content (`<?x?>`) and at some
/// declarations of a document type. Neither is in any model or store. Called before a parser sees
/// the bytes; takes time in proportion to them.
package enum XMLPreflight {
    /// What is refused and where; lines and columns count from 1.
    package struct Refusal: Error, Sendable, Equatable {
        package let line: Int
        package let column: Int
        /// What stands there.
        package let what: String
    }

    /// Goes through a file that is UTF-8 text without NUL.
    package static func check(_ data: Data) throws(Refusal) {
        let refused = data.withUnsafeBytes { bytes in
            firstRefused(bytes).map { refusal(at: $0.offset, in: bytes, $0.what) }
        }
        if let refused { throw refused }
    }

    private static func refusal(
        at offset: Int, in bytes: UnsafeRawBufferPointer, _ what: String
    ) -> Refusal {
        let before = bytes[..<offset]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return Refusal(
            line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            column: String(decoding: before[lineStart...], as: UTF8.self).count + 1, what: what)
    }

    private static func firstRefused(
        _ bytes: UnsafeRawBufferPointer
    ) -> (offset: Int, what: String)? {
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = bytes[start...]
            if rest.starts(with: "<!--".utf8) {
                skip(&rest, 4, past: "-->")
            } else if rest.starts(with: "<![CDATA[".utf8) {
                skip(&rest, 9, past: "]]>")
            } else if rest.starts(with: "<?".utf8) {
                let from = rest.startIndex
                skip(&rest, 2, past: "?>")
                guard hasContent(bytes[from..<rest.startIndex]) else {
                    return (start, "a processing instruction without content")
                }
            } else if rest.starts(with: "<!".utf8) {
                let end = rest.firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "[") }
                guard rest.starts(with: "<!DOCTYPE".utf8), let end,
                    bytes[end] == UInt8(ascii: ">")
                else { return (start, "a declaration of a document type's parts") }
                rest = bytes[end...]
            } else {
                rest = rest.dropFirst()
            }
        }
        return nil
    }

    private static func skip(
        _ rest: inout Slice<UnsafeRawBufferPointer>, _ count: Int, past closing: StaticString
    ) {
        rest = rest.dropFirst(count)
        while !rest.isEmpty, !closing.withUTF8Buffer({ rest.starts(with: $0) }) {
            rest = rest.dropFirst()
        }
        rest = rest.dropFirst(closing.utf8CodeUnitCount)
    }

    /// Whether something stands behind the name: `<?name content?>`.
    private static func hasContent(_ instruction: Slice<UnsafeRawBufferPointer>) -> Bool {
        let inside = instruction.dropFirst(2).dropLast(2)
        // The parser goes on behind a mistake, and may see the next one begin in this one.
        guard !inside.contains(UInt8(ascii: "<")) else { return false }
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let end = inside.firstIndex(where: isSpace) else { return false }
        return !inside[end...].allSatisfy(isSpace)
    }
}
