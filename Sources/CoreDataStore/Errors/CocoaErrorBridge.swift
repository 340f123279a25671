import Foundation

/// Makes the errors of Core Data's public surface: the one place that makes an `NSError`.
///
/// The façades that throw call it; below them errors stay typed.
extension CoreDataError {
    /// Takes an error that a program's own code threw, to be given out again unchanged.
    package init(_ error: any Error) {
        if let error = error as? CoreDataError {
            self = error
            return
        }
        let thrown = error
        let error = error as NSError
        let isCocoa = error.domain == NSCocoaErrorDomain
        let parts = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
        self.init(
            isCocoa ? Code(rawValue: error.code) ?? .validation : .validation,
            error.localizedDescription, details: parts.map { CoreDataError($0) },
            payload: Payload(userInfo: error.userInfo, original: error, thrown: thrown))
    }

    /// The error as public API throws it, in `NSCocoaErrorDomain`.
    ///
    /// The message is the localized description; store and file errors carry it under `reason`
    /// too, as Core Data's do. The info and the payload are merged in, payload last. Misuse,
    /// which Core Data answers with an exception, becomes 134060. An error of the program's own
    /// comes out as it was.
    package var nsError: NSError {
        if let original = payload?.original { return original }
        return NSError(domain: NSCocoaErrorDomain, code: cocoaCode, userInfo: userInfo)
    }

    /// The number in `NSCocoaErrorDomain`.
    package var cocoaCode: Int {
        switch code {
        case .invalidArgument, .unknownKey, .inaccessibleObject, .wrongQueue, .unsupported:
            NSCoreDataError
        case .fileNotFound: CocoaError.Code.fileNoSuchFile.rawValue
        default: code.rawValue
        }
    }

    private var userInfo: [String: Any] {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        if isAboutStore { userInfo["reason"] = message }
        for (key, text) in info {
            // SQLite's code is a number wherever a program looks for it.
            userInfo[key] = key == NSSQLiteErrorDomain ? Int(text) ?? text : text
        }
        if !details.isEmpty { userInfo[NSDetailedErrorsKey] = details.map(\.nsError) }
        if let payload { userInfo.merge(payload.userInfo) { _, last in last } }
        return userInfo
    }

    /// Whether a file or a store failed, rather than an object.
    private var isAboutStore: Bool { !(1550..<134_000).contains(cocoaCode) }
}

/// Runs a throwing core for a façade, turning its error into an `NSError`.
package func bridgingErrors<T>(_ body: () throws(CoreDataError) -> T) throws -> T {
    do { return try body() } catch { throw error.payload?.thrown ?? error.nsError }
}
