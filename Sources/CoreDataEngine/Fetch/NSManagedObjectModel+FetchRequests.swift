import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// Fetch requests that a model stores by name.
extension NSManagedObjectModel {
    /// All templates by name.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        let names = Set(fetchRequests.keys).union(fetchRequestSources.keys)
        return names.reduce(into: [:]) { $0[$1] = fetchRequestTemplate(forName: $1) }
    }

    /// The template with the name. If the model is in use, the result is a copy.
    ///
    /// Its predicate may have variables, which
    /// ``fetchRequestFromTemplate(withName:substitutionVariables:)`` replaces by values.
    public func fetchRequestTemplate(
        forName name: String
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        if let known = fetchRequests[name] as? NSFetchRequest<any NSFetchRequestResult> {
            return isFrozen ? known.duplicate : known
        }
        guard let source = fetchRequestSources[name] else { return nil }
        let made = NSFetchRequest(source, in: self)
        // The template is stored, so that the program can change it until the model is frozen.
        if !isFrozen { fetchRequests[name] = made }
        return made
    }

    /// A copy of a template with values for the predicate's variables.
    ///
    /// - Parameter variables: values by the variables' names, without `$`; `NSNull` for none.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let request = fetchRequestTemplate(forName: name)?.duplicate else { return nil }
        request.predicate = request.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// Creates or replaces a template, or removes it if nil, until the model is in use.
    public func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        fetchRequests[name] = fetchRequestTemplate
        fetchRequestSources[name] = nil
    }

    /// The checksums of all model versions in a `.momd` or `.xcdatamodeld` folder, indexed by
    /// version name.
    ///
    /// - Throws: an error if a version cannot be read.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        try bridgingErrors { () throws(CoreDataError) in
            do throws(ModelError) { return try versionChecksums(at: modelURL) } catch {
                throw CoreDataError(.fileReadCorrupt, error.description)
            }
        }
    }
}
