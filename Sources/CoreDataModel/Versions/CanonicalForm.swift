/// The bytes that a version hash is made of.
///
/// Used by the version hashes only. Each field has its name and its length before it, so that no
/// two contents have the same bytes.
struct CanonicalForm {
    private(set) var bytes: [UInt8] = []

    /// - Parameter kind: what is described (`attribute`, `entity`).
    init(_ kind: StaticString) { add("kind", "\(kind)") }

    mutating func add(_ name: StaticString, _ text: String) {
        bytes += Array("\(name) \(text.utf8.count):\(text)\n".utf8)
    }

    mutating func add(_ name: StaticString, _ flag: Bool) { add(name, flag ? "1" : "0") }

    mutating func add(_ name: StaticString, _ number: Int) { add(name, String(number)) }

    mutating func add(_ name: StaticString, hash: some Sequence<UInt8>) {
        add(name, hash.map { byte in String(byte, radix: 16) }.joined(separator: " "))
    }

    var hash: [UInt8] { SHA2.sha256(bytes) }
}
