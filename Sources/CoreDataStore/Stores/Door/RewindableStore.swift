import CoreDataSQLite

/// A store that can go back to an earlier state. The lab rewinds a store before each schedule.
package protocol RewindableStore: ObjectStore {
    /// The present state. Costs as much as copying the store.
    func mark() throws(CoreDataError) -> StoreMark
    /// Resets the store to a state that a store of the same model and identifier has marked.
    /// Compiled statements are kept.
    func rewind(to mark: StoreMark) throws(CoreDataError)
}

/// A state of a store. Only stores of the kind that created the state can read it.
package struct StoreMark: Sendable {
    package let content: any Sendable

    package init(_ content: any Sendable) { self.content = content }

    /// The bytes of the store's file, if the state is an image.
    package var image: [UInt8]? { content as? [UInt8] }
}

/// A store that explains its statements to tools.
package protocol ExplainingStore: ObjectStore {
    /// The plan of a statement. Notifies no listener.
    ///
    /// - Throws: the store's error if the text does not compile.
    func queryPlan(of statement: String) throws(CoreDataError) -> [QueryPlanStep]
}
