import Foundation

/// Converts errors to those of Core Data's public API. Only this file creates an `NSError`.
///
/// Public methods that throw call it; internal functions throw typed errors.
extension CoreDataError {
    /// Wraps an error that the program's code threw. The error is rethrown unchanged.
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
    /// The message is the localized description; store and file errors also contain it under
    /// `reason`, as Core Data's do. The user info also contains the error's info and its payload;
    /// the payload takes precedence. Misuse, for which Core Data raises an exception, becomes
    /// 134060. An error of the program is returned unchanged.
    package var nsError: NSError {
        if let original = payload?.original { return original }
        return NSError(domain: NSCocoaErrorDomain, code: cocoaCode, userInfo: userInfo)
    }

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
            // Programs expect SQLite's code as a number.
            userInfo[key] = key == NSSQLiteErrorDomain ? Int(text) ?? text : text
        }
        if !details.isEmpty { userInfo[NSDetailedErrorsKey] = details.map(\.nsError) }
        if let payload { userInfo.merge(payload.userInfo) { _, last in last } }
        return userInfo
    }

    /// Whether a file or a store failed, in contrast to an object.
    private var isAboutStore: Bool { !(1550..<134_000).contains(cocoaCode) }
}

/// Runs a throwing function for a public method, and converts its error to an `NSError`.
package func bridgingErrors<T>(_ body: () throws(CoreDataError) -> T) throws -> T {
    do { return try body() } catch { throw error.payload?.thrown ?? error.nsError }
}
