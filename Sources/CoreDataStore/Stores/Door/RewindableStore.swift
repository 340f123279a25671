import CoreDataSQLite

/// A store that can return to an earlier state. The lab rewinds a store before each schedule.
package protocol RewindableStore: ObjectStore {
    /// Captures the present state. Costs as much as copying the store.
    func mark() throws(CoreDataError) -> StoreMark
    /// Returns the store to a captured state, which may come from another store with the same model
    /// and identifier. Compiled statements are kept.
    func rewind(to mark: StoreMark) throws(CoreDataError)
}

/// A captured state of a store. Only stores of the same kind can restore it.
package struct StoreMark: Sendable {
    package let content: any Sendable

    package init(_ content: any Sendable) { self.content = content }

    /// The bytes of the store's file, if the state is an image.
    package var image: [UInt8]? { content as? [UInt8] }
}

/// A store that returns the query plans of its statements, for tools.
package protocol ExplainingStore: ObjectStore {
    /// Returns the query plan of a statement. Listeners are not notified.
    ///
    /// - Throws: the store's error if the text does not compile.
    func queryPlan(of statement: String) throws(CoreDataError) -> [QueryPlanStep]
}
