import Foundation

/// Maps the system's error numbers (`errno`) to Core Data's codes. No other code contains such a
/// table.
package struct FileFailure: Sendable, Equatable {
    package enum Access: Sendable { case reading, writing }

    package let number: Int32
    package let access: Access

    package init(_ number: Int32, _ access: Access) {
        self.number = number
        self.access = access
    }

    /// Core Data's code, or Foundation's code for the same failure.
    package var code: CoreDataError.Code {
        access == .writing ? writingCode : readingCode
    }

    private var writingCode: CoreDataError.Code {
        switch number {
        case ENOSPC, EDQUOT: .fileWriteOutOfSpace
        case EROFS: .fileWriteVolumeReadOnly
        case EACCES, EPERM: .fileWriteNoPermission
        case ENAMETOOLONG: .fileWriteInvalidName
        case ENOENT, ENOTDIR: .fileNotFound
        default: .fileWriteUnknown
        }
    }

    private var readingCode: CoreDataError.Code {
        switch number {
        case EACCES, EPERM: .fileReadNoPermission
        case ENAMETOOLONG: .fileReadInvalidName
        case ENOENT, ENOTDIR: .readOnlyFileMissing
        case EFBIG, EOVERFLOW: .fileReadTooLarge
        default: .fileReadUnknown
        }
    }

    package var advice: String {
        switch number {
        case ENOSPC: "free some space on the disk and try again"
        case EDQUOT: "the user's quota is used up; free some space and try again"
        case EROFS: "the file system is mounted read-only; choose another folder"
        case EACCES, EPERM: "check the permissions of the file and its folder"
        case ENAMETOOLONG: "use a shorter name"
        case ENOENT, ENOTDIR: "check the path"
        case EMFILE:
            "this process has no file descriptor left; close files, or raise the limit (ulimit -n)"
        case ENFILE: "the system has no file descriptor left; close files, or raise the limit"
        case EIO: "the disk failed; check the disk, and restore the file from a copy"
        case EFBIG: "the file would be larger than the process or the file system allows"
        default: "see the system's message"
        }
    }
}

extension CoreDataError {
    /// The error of a failed call of the file system; it carries the path and, under
    /// `NSUnderlyingErrorKey`, the number.
    ///
    /// - Parameter what: the participle of the failed action, such as "read" in "cannot be read".
    package init(_ failure: FileFailure, _ path: String, cannotBe what: String) {
        let system = String(cString: strerror(failure.number))
        let text = "cannot be \(what): \(system); \(failure.advice)"
        let underlying = NSError(domain: NSPOSIXErrorDomain, code: Int(failure.number))
        self.init(
            failure.code, "The file \(path) \(text)", info: ["NSFilePath": path, "reason": text],
            payload: Payload(userInfo: [NSUnderlyingErrorKey: underlying]))
    }
}
