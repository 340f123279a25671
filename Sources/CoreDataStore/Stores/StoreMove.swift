import CRuntimeShims
import Foundation

/// Installs a whole store at a location.
///
/// First the files of large values are copied, under names that no row uses yet. Then the database
/// is replaced in one step. This is a transaction in the existing database, or the renaming of a
/// new file next to it (the draft). So the database only refers to complete values, even if the
/// process ends at any time. `StoreSweep` later removes files to which no row refers. It also
/// removes drafts whose creator no longer holds its lock.
struct StoreMove {
    /// The location, after following symbolic links.
    let place: String
    /// The path of the draft, which is next to the location. At first no file exists there.
    let draft: String

    /// Holds the lock for replacing or sweeping the store at the location while a body runs.
    ///
    /// - Throws: 134090 if another process holds the lock for too long, and file system errors.
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

    /// Renames the draft to the location, in one step.
    ///
    /// - Throws: 516 if a file now exists at the location, and file system errors; the location is
    ///   then unchanged.
    func publish() throws(CoreDataError) {
        if StoreFile.hasLog(draft) {
            throw StoreFile.error(
                .fileWriteUnknown, draft,
                "is incomplete: the log could not be written into the database; try again")
        }
        // SQLite would use leftover log files of a deleted database for the new one.
        if access(place, F_OK) != 0 {
            for suffix in Self.companions.dropFirst() { unlink(place + suffix) }
        }
        guard ExternalFiles.makeDurable(draft) else { throw failure(errno) }
        var code = faultline_rename(draft, place, false)
        if code == EINVAL || code == ENOSYS, access(place, F_OK) != 0 {
            // This file system cannot rename a file only if the destination does not exist.
            code = rename(draft, place) == 0 ? 0 : errno
        }
        if code == EEXIST {
            throw StoreFile.error(
                .fileWriteFileExists, place,
                "was created by another process meanwhile; try again, or use another path")
        }
        guard code == 0 else { throw failure(code) }
        // A failure is ignored: all processes already see the new file, even if it may not survive
        // a power failure.
        _ = ExternalFiles.makeDurable(
            URL(fileURLWithPath: place).deletingLastPathComponent().path)
    }

    private func failure(_ code: Int32) -> CoreDataError {
        CoreDataError(FileFailure(code, .writing), place, cannotBe: "created")
    }

    private static let companions = ["", "-wal", "-shm", "-journal"]

    /// Removes a draft and its log files. The caller holds the draft's lock.
    static func removeDraft(_ draft: String) {
        for suffix in companions { unlink(draft + suffix) }
        PendingFile.clear(draft)
    }
}
