extension NSPersistentStore {
    /// The name of a store type.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The name of the type, as in constants such as `NSSQLiteStoreType`.
        public let rawValue: String

        /// Wraps the name of a registered type.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A store in an SQLite file.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// A store in one file that is read and written as a whole.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// A store in one XML file that is read and written as a whole.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
        /// A store that is only in memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    }
}
