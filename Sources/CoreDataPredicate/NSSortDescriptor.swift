import Foundation

/// One criterion of an order: a key and a direction.
///
/// A sort descriptor is immutable.
open class NSSortDescriptor: NSObject, NSCopying {
    /// The key path whose values are compared; `nil` compares the objects themselves.
    public var key: String? {
        guard let keyPath, let lateName else { return givenKey }
        return lateName.keys(of: keyPath)?.joined(separator: ".")
            ?? KeyPathNames.nameOrNote(of: keyPath)
    }
    /// Whether small values come first.
    public let ascending: Bool
    /// The comparison by name; `nil` if the descriptor has a comparator.
    public let selector: Selector?
    /// The Swift key path from which the descriptor was created.
    public let keyPath: AnyKeyPath?
    package var keys: [String] {
        guard let keyPath, let lateName else { return givenKeys }
        return lateName.keys(of: keyPath) ?? [KeyPathNames.nameOrNote(of: keyPath)]
    }
    private let givenKey: String?
    private let givenKeys: [String]
    private let lateName: KeyPathName?
    /// The caller's comparison function, which stores reject.
    package let customComparator: Comparator?
    let stringOrder: StringOrder?

    package init(
        key: String?, ascending: Bool, selector: Selector?, comparator: Comparator?
    ) {
        givenKey = key
        self.ascending = ascending
        self.selector = selector
        keyPath = nil
        lateName = nil
        customComparator = comparator
        givenKeys = key.map { $0.split(separator: ".").map(String.init) } ?? []
        stringOrder = StringOrder(selector: selector?.name ?? "compare:")
        super.init()
    }

    init(ascending: Bool, selector: Selector?, comparator: Comparator?, keyPath: AnyKeyPath) {
        (givenKey, givenKeys) = (nil, [])
        self.ascending = ascending
        self.selector = selector
        self.keyPath = keyPath
        lateName = KeyPathName(of: keyPath)
        customComparator = comparator
        stringOrder = StringOrder(selector: selector?.name ?? "compare:")
        super.init()
    }

    /// Creates a criterion that compares with `compare:`.
    public convenience init(key: String?, ascending: Bool) {
        self.init(key: key, ascending: ascending, selector: "compare:", comparator: nil)
    }

    /// Creates a criterion that compares by a named method, such as `localizedStandardCompare:`.
    public convenience init(key: String?, ascending: Bool, selector: Selector?) {
        self.init(
            key: key, ascending: ascending, selector: selector ?? "compare:", comparator: nil)
    }

    /// Creates a criterion that calls a function. It works only in memory; stores reject it.
    public convenience init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        self.init(key: key, ascending: ascending, selector: nil, comparator: comparator)
    }

    /// Returns the descriptor itself, because it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Does nothing; exists for code that calls it on decoded descriptors.
    public func allowEvaluation() {}

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

// @unchecked Sendable because a sort descriptor is immutable after `init`: all its properties are
// `let`, and a caller that passes a comparator is responsible for sharing its captured values.
extension NSSortDescriptor: @unchecked Sendable {}
