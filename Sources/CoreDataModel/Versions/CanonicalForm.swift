/// The bytes from which a version hash is computed.
///
/// Each field is preceded by its name and its length, so that different contents have different
/// bytes.
struct CanonicalForm {
    private(set) var bytes: [UInt8] = []

    /// - Parameter kind: the kind of description (`attribute`, `entity`).
    init(_ kind: StaticString) {
        bytes.reserveCapacity(256)
        add("kind", bytes: kind.withUTF8Buffer(Array.init))
    }

    mutating func add(_ name: StaticString, _ text: String) { add(name, bytes: text.utf8) }

    mutating func add(_ name: StaticString, _ flag: Bool) { add(name, flag ? "1" : "0") }

    mutating func add(_ name: StaticString, _ number: Int) { add(name, String(number)) }

    /// Adds a hash: each byte in hexadecimal without leading zeros.
    mutating func add(_ name: StaticString, hash: some Sequence<UInt8>) {
        var text: [UInt8] = []
        for byte in hash {
            if !text.isEmpty { text.append(UInt8(ascii: " ")) }
            if byte > 0xF { text.append(Self.digit(byte >> 4)) }
            text.append(Self.digit(byte & 0xF))
        }
        add(name, bytes: text)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private mutating func add(_ name: StaticString, bytes content: some Collection<UInt8>) {
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: String(content.count).utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: content)
        bytes.append(UInt8(ascii: "\n"))
    }

    var hash: [UInt8] { SHA2.sha256(bytes) }
}
