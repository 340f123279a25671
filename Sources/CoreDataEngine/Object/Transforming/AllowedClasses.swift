import Foundation

/// The classes that a secure transformer accepts in an archive.
struct AllowedClasses {
    /// The name of the transformer's class, for error messages.
    let owner: String
    let top: [AnyClass]
    let members: [AnyClass]

    /// - Throws: an error if the class is not allowed.
    func check(_ type: AnyClass, name: String, isTop: Bool) throws(ArchiveFailure) {
        if (isTop ? top : members).contains(where: { Self.is(type, kindOf: $0) }) { return }
        throw ArchiveFailure(
            "the class '\(name)' is not among the allowed classes of \(owner); use a subclass of"
                + " NSSecureUnarchiveFromDataTransformer that lists it in allowedTopLevelClasses")
    }

    private static func `is`(_ type: AnyClass, kindOf base: AnyClass) -> Bool {
        sequence(first: type, next: _getSuperclass).contains { $0 == base }
    }
}
