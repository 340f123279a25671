/// The type of a fetch request's results.
public struct NSFetchRequestResultType: OptionSet, Sendable {
    /// The raw value of Core Data's `NSFetchRequestResultType`.
    public let rawValue: UInt

    /// Creates a result type from Core Data's raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Managed objects; the default.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// Ids of objects.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of property names and values.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// The number of results, as one number.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
