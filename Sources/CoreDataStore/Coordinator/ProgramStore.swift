import CoreDataModel

/// A store of a program's own class, which is handed requests or objects, as coordinators know it.
///
/// Such classes stand above coordinators, because requests, objects and contexts do.
package protocol ProgramStore: NSPersistentStore {
    /// Makes what the coordinator asks for rows.
    func makeProgramBackend() throws(CoreDataError) -> any ObjectStore

    /// What URIs have in place of a key, or nil for the key itself.
    func text(of key: ObjectKey) -> String?

    /// The key that a URI's text stands for.
    func key(of text: String, _ entity: EntityLayout) -> ObjectKey?
}
