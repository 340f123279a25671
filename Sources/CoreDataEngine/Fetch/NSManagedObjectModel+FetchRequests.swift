import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// Fetch requests that a model keeps under names.
extension NSManagedObjectModel {
    /// All templates by name.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        let names = Set(fetchRequests.keys).union(fetchRequestSources.keys)
        return names.reduce(into: [:]) { $0[$1] = fetchRequestTemplate(forName: $1) }
    }

    /// The template of a name; a copy once the model is in use.
    ///
    /// Its predicate may have variables, for which
    /// ``fetchRequestFromTemplate(withName:substitutionVariables:)`` puts values.
    public func fetchRequestTemplate(
        forName name: String
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        if let known = fetchRequests[name] as? NSFetchRequest<any NSFetchRequestResult> {
            return isFrozen ? known.duplicate : known
        }
        guard let source = fetchRequestSources[name] else { return nil }
        let made = NSFetchRequest(source, in: self)
        // What a program changes in it must last.
        if !isFrozen { fetchRequests[name] = made }
        return made
    }

    /// A copy of a template with values in the place of the predicate's variables.
    ///
    /// - Parameter variables: values by the variables' names, without `$`; `NSNull` for none.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let request = fetchRequestTemplate(forName: name)?.duplicate else { return nil }
        request.predicate = request.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// Makes, replaces or with nil removes a template, until the model is in use.
    public func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        fetchRequests[name] = fetchRequestTemplate
        fetchRequestSources[name] = nil
    }

    /// The checksums of all versions in a `.momd` or `.xcdatamodeld` folder, by their names.
    ///
    /// - Throws: what keeps a version from being read.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        try bridgingErrors { () throws(CoreDataError) in
            do throws(ModelError) { return try versionChecksums(at: modelURL) } catch {
                throw CoreDataError(.fileReadCorrupt, error.description)
            }
        }
    }
}
