import CRuntimeShims
import Foundation

/// The way by which a whole store comes to a place.
///
/// Its large values come first: their names are new in their folder, and no row names them. Then
/// the database comes, in one step: a transaction of the database that is there, or the name of a
/// file that was made beside the place. A database has only names of values that are whole,
/// whenever the process ends. Files that no row names are swept later (`StoreSweep`), and a file
/// that was made beside the place goes when the lock of its maker is free.
struct StoreMove {
    /// The place, symbolic links followed.
    let place: String
    /// A path beside the place at which a store is made; nothing is there at first.
    let draft: String

    /// Runs a body while nobody else moves a store to the place, or sweeps there.
    ///
    /// - Throws: 134090 if others take longer, and what the file system reports.
    static func hold<T>(
        _ path: String, timeoutMilliseconds: Int,
        _ body: (StoreMove) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        try PendingFile.hold(path, timeoutMilliseconds: timeoutMilliseconds) {
            pending throws(CoreDataError) in
            let move = StoreMove(
                place: pending.path, draft: PendingFile.draft(beside: pending.path))
            removeDraft(move.draft)
            defer { removeDraft(move.draft) }
            return try body(move)
        }
    }

    /// Gives the draft the name of the place, in one step.
    ///
    /// - Throws: 516 if there is a file by now, and what the file system reports; nothing is at the
    ///   place then that was not there before.
    func publish() throws(CoreDataError) {
        if StoreFile.hasLog(draft) {
            throw StoreFile.error(
                .fileWriteUnknown, draft,
                "is not whole: its log could not be written into it; try again")
        }
        // Companions of a database that is gone would be taken for those of the new one.
        if access(place, F_OK) != 0 {
            for suffix in Self.companions.dropFirst() { unlink(place + suffix) }
        }
        guard ExternalFiles.makeDurable(draft) else { throw failure(errno) }
        var code = faultline_rename(draft, place, false)
        if code == EINVAL || code == ENOSYS, access(place, F_OK) != 0 {
            // The file system cannot look and rename in one step.
            code = rename(draft, place) == 0 ? 0 : errno
        }
        if code == EEXIST {
            throw StoreFile.error(
                .fileWriteFileExists, place, "was made meanwhile; try again, or name another one")
        }
        guard code == 0 else { throw failure(code) }
        // What is renamed is so for everybody, whether or not the disk promises to keep it.
        _ = ExternalFiles.makeDurable(
            URL(fileURLWithPath: place).deletingLastPathComponent().path)
    }

    private func failure(_ code: Int32) -> CoreDataError {
        CoreDataError(FileFailure(code, .writing), place, cannotBe: "put in place")
    }

    private static let companions = ["", "-wal", "-shm", "-journal"]

    /// Removes a draft with all that belongs to it. The caller has its lock.
    static func removeDraft(_ draft: String) {
        for suffix in companions { unlink(draft + suffix) }
        PendingFile.clear(draft)
    }
}
