import CoreDataModel

/// A custom store, which receives requests or objects, as coordinators see it.
///
/// Such classes are in a higher layer than coordinators, because requests, objects and contexts
/// are.
package protocol ProgramStore: NSPersistentStore {
    /// Creates the backend that answers the coordinator's requests for rows.
    func makeProgramBackend() throws(CoreDataError) -> any ObjectStore

    /// The text that URIs contain instead of a key, or nil for the key itself.
    func text(of key: ObjectKey) -> String?

    /// The key for a URI's text.
    func key(of text: String, _ entity: EntityLayout) -> ObjectKey?
}
