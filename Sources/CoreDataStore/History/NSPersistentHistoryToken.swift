import Foundation

/// A position in the histories of stores: for each store the number of a transaction.
///
/// Opaque and immutable. An archived token keeps the position between launches.
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding {
    /// The number of the last transaction before the position, by the store's UUID.
    package let numbers: [String: Int64]

    package init(numbers: [String: Int64]) { self.numbers = numbers }

    /// Reads an archived token; nil if the archive contains none.
    ///
    /// Foundation's unarchiver reads the bytes first, and damaged bytes may end the process. Keep
    /// archived tokens where no other program writes.
    public init?(coder: NSCoder) {
        guard
            let stores = coder.decodeObject(
                of: [NSArray.self, NSString.self], forKey: Self.storesKey) as? [String],
            let places = coder.decodeObject(
                of: [NSArray.self, NSNumber.self], forKey: Self.numbersKey) as? [NSNumber],
            stores.count == places.count
        else { return nil }
        numbers = Dictionary(
            zip(stores, places.map(\.int64Value)), uniquingKeysWith: { first, _ in first })
    }

    /// Writes the token into an archive.
    public func encode(with coder: NSCoder) {
        let stores = numbers.keys.sorted()
        let places = stores.map { NSNumber(value: numbers[$0] ?? 0) }
        coder.encode(stores.map { NSString(string: $0) } as NSArray, forKey: Self.storesKey)
        coder.encode(places as NSArray, forKey: Self.numbersKey)
    }

    /// Tokens support secure coding: an archive contains only strings and numbers.
    public static var supportsSecureCoding: Bool { true }

    private static let storesKey = "stores"
    private static let numbersKey = "numbers"

    /// Returns the receiver: tokens are immutable.
    public func copy(with zone: NSZone?) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.numbers == numbers
    }

    public override var hash: Int { numbers.hashValue }

    public override var description: String {
        let pairs = numbers.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \($0.value); " }
        return "<NSPersistentHistoryToken - { \(pairs.joined())}>"
    }
}

extension NSPersistentHistoryToken: Sendable {}
