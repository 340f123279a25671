import Foundation

/// One criterion of an order: a key and a direction.
///
/// A sort descriptor is immutable.
open class NSSortDescriptor: NSObject, NSCopying {
    /// The key path whose values are compared; `nil` compares the objects themselves.
    open var key: String? {
        guard let keyPath, let lateName else { return givenKey }
        return lateName.keys(of: keyPath)?.joined(separator: ".")
            ?? KeyPathNames.nameOrNote(of: keyPath)
    }
    /// Whether small values come first.
    public let ascending: Bool
    /// The comparison by name; `nil` if the descriptor has a comparator.
    public let selector: Selector?
    /// The Swift key path from which the descriptor was created.
    public private(set) final var keyPath: AnyKeyPath?
    package var keys: [String] {
        guard let keyPath, let lateName else { return givenKeys }
        return lateName.keys(of: keyPath) ?? [KeyPathNames.nameOrNote(of: keyPath)]
    }
    private let givenKey: String?
    private let givenKeys: [String]
    private final var lateName: KeyPathName?
    /// The caller's comparison function, which stores reject.
    package let customComparator: Comparator?
    let stringOrder: StringOrder?

    // Every designated initialiser is public. Otherwise subclasses would inherit none of them.
    package convenience init(
        key: String?, ascending: Bool, selector: Selector?, comparator: Comparator?
    ) {
        guard let comparator else {
            self.init(key: key, ascending: ascending, selector: selector)
            return
        }
        self.init(key: key, ascending: ascending, comparator: comparator)
    }

    convenience init(
        ascending: Bool, selector: Selector?, comparator: Comparator?, keyPath: AnyKeyPath
    ) {
        self.init(key: nil, ascending: ascending, selector: selector, comparator: comparator)
        self.keyPath = keyPath
        lateName = KeyPathName(of: keyPath)
    }

    /// Creates a criterion that compares with `compare:`.
    public convenience init(key: String?, ascending: Bool) {
        self.init(key: key, ascending: ascending, selector: "compare:")
    }

    /// Creates a criterion that compares by a named method, such as `localizedStandardCompare:`.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        givenKey = key
        givenKeys = Self.split(key)
        self.ascending = ascending
        self.selector = selector ?? "compare:"
        customComparator = nil
        stringOrder = StringOrder(selector: selector?.name ?? "compare:")
        super.init()
    }

    /// Creates a criterion that calls a function. It works only in memory; stores reject it.
    public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        givenKey = key
        givenKeys = Self.split(key)
        self.ascending = ascending
        selector = nil
        customComparator = comparator
        stringOrder = StringOrder(selector: "compare:")
        super.init()
    }

    private static func split(_ key: String?) -> [String] {
        key.map { $0.split(separator: ".").map(String.init) } ?? []
    }

    /// Returns the descriptor itself, because it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Does nothing; exists for code that calls it on decoded descriptors.
    open func allowEvaluation() {}

    /// Compares two objects by the key's values, in the descriptor's direction.
    ///
    /// Objects without a value come first in ascending order. Requests do not call an override.
    ///
    /// - Precondition: The objects have the key and its values have an order; Foundation raises
    ///   an exception otherwise.
    open func compare(_ left: Any, to right: Any) -> ComparisonResult {
        comparedOrTrap(left, right)
    }

    /// The same criterion in the opposite direction, an `NSSortDescriptor`.
    open var reversedSortDescriptor: Any {
        guard let keyPath else {
            return NSSortDescriptor(
                key: key, ascending: !ascending, selector: selector, comparator: customComparator)
        }
        return NSSortDescriptor(
            ascending: !ascending, selector: selector, comparator: customComparator,
            keyPath: keyPath)
    }

    /// The only key, if an object can read it directly. Nil for a key path, an operator and `self`.
    var plainKey: String? {
        if let keyPath, let lateName, lateName.keys(of: keyPath) == nil { return nil }
        return KeyReading.plainKey(of: keys)
    }

    /// If the key is unknown, reads the Swift key path from an object of its root type.
    func unnamedValue(of object: Any?) -> Operand? {
        guard let keyPath, let lateName, lateName.keys(of: keyPath) == nil else { return nil }
        return object?[keyPath: keyPath].map { Operand($0) }
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSSortDescriptor else { return false }
        if self === other { return true }
        return key == other.key && ascending == other.ascending && selector == other.selector
            && customComparator == nil && other.customComparator == nil
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(ascending)
        return hasher.finalize()
    }

    open override var description: String {
        "(\(key ?? "self"), \(ascending ? "ascending" : "descending"), "
            + "\(selector?.name ?? "block"))"
    }
}

// @unchecked Sendable because a sort descriptor is immutable after `init`, and a caller that passes
// a comparator is responsible for sharing its captured values.
extension NSSortDescriptor: @unchecked Sendable {}
