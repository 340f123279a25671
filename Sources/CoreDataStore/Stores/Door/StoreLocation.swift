import Foundation

/// The location of a store, as the store's kind reads it from a URL.
package enum StoreLocation: Sendable, Equatable {
    case file(String)
    /// A store in memory. Coordinators that use the same name share one store; a store without a
    /// name belongs to one coordinator.
    case memory(String?)
    case server(URL)

    /// The location as messages show it. A store in memory is at the null device or below it, as in
    /// its URL.
    package var text: String {
        switch self {
        case .file(let path): path
        case .memory(nil): "/dev/null"
        case .memory(let name?): "/dev/null/\(name)"
        case .server(let url): url.withoutPassword
        }
    }

    package var url: URL {
        if case .server(let url) = self { return url }
        return URL(fileURLWithPath: text)
    }

    /// The location that a URL names, for kinds whose stores are files or in memory.
    ///
    /// - Parameter url: nil or the null device for a store of one coordinator in memory; a name
    ///   below the null device for a store in memory that coordinators share.
    static func fileOrMemory(_ url: URL?) throws(CoreDataError) -> StoreLocation {
        guard let url, url.path != "/dev/null" else { return .memory(nil) }
        let path = try path(url)
        guard path.hasPrefix("/dev/null/") else { return .file(path) }
        return .memory(String(path.dropFirst("/dev/null/".count)))
    }

    static func path(_ url: URL) throws(CoreDataError) -> String {
        guard url.isFileURL else {
            let advice = StoreKinds.advice(forScheme: url.scheme).map { " \($0)" } ?? ""
            throw CoreDataError(
                .invalidArgument,
                "The store's URL must be a file URL, not \(url.withoutPassword).\(advice)")
        }
        return url.path
    }
}

extension URL {
    /// The URL as text for messages.
    package var withoutPassword: String {
        guard !isFileURL, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return absoluteString
        }
        if parts.password != nil { parts.password = nil }
        let secrets: Set = ["password", "sslpassword"]
        if let items = parts.percentEncodedQueryItems,
            items.contains(where: { secrets.contains($0.name) })
        {
            let shown = items.filter { !secrets.contains($0.name) }
            parts.percentEncodedQueryItems = shown.isEmpty ? nil : shown
        }
        return parts.string ?? absoluteString
    }
}
