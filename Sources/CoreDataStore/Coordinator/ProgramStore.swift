import CoreDataModel

/// The interface through which coordinators use a custom store.
///
/// Custom stores are in a higher layer than coordinators, because they receive requests, objects
/// and contexts.
package protocol ProgramStore: NSPersistentStore {
    /// Creates the backend that answers the coordinator's requests for rows.
    func makeProgramBackend() throws(CoreDataError) -> any ObjectStore

    /// The text that URIs contain instead of a key, or nil if they contain the key itself.
    func text(of key: ObjectKey) -> String?

    func key(of text: String, _ entity: EntityLayout) -> ObjectKey?
}
