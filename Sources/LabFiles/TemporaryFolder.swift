import Foundation
import Glibc
import Synchronization

/// A folder in the temporary folder that only this user may read. It is removed however the process
/// ends.
///
/// A locked file next to the folder shows that its process is alive. The system releases the lock
/// when the process ends for any reason. The next process that creates such a folder removes all
/// folders whose files are no longer locked.
package final class TemporaryFolder: Sendable {
    /// The folder, which exists until ``remove()``.
    package let path: String
    private let lock: FolderLock
    private let isThere = Atomic(true)

    /// Creates a folder.
    ///
    /// - Parameters:
    ///   - purpose: a word that becomes a part of the name.
    ///   - base: the folder to create it in; nil for the system's temporary folder.
    package init(_ purpose: String, in base: String? = nil) throws(FileProblem) {
        let base = base ?? Self.base
        AbandonedFolders.removeOnce(in: base)
        lock = try LiveFolders.add { () throws(FileProblem) in try Self.make(purpose, in: base) }
        path = lock.folder
    }

    private static func make(
        _ purpose: String, in base: String
    ) throws(FileProblem) -> FolderLock {
        let lock = try FolderLock.make(purpose, in: base)
        guard mkdir(lock.folder, 0o700) == 0 else {
            let why = String(cString: strerror(errno))
            lock.remove()
            throw FileProblem(
                "cannot create a folder here (\(why))",
                instead: "set TMPDIR to a writable folder"
            )
        }
        return lock
    }

    deinit { remove() }

    /// Removes the folder with its contents. The `deinit` does the same.
    package func remove() {
        guard isThere.exchange(false, ordering: .relaxed) else { return }
        try? FileManager.default.removeItem(atPath: path)
        LiveFolders.drop(path)
        lock.remove()
    }

    /// The system's temporary folder, without a slash at the end.
    package static var base: String {
        let base = NSTemporaryDirectory()
        return base.count > 1 && base.hasSuffix("/") ? String(base.dropLast()) : base
    }
}

/// The locked file next to a folder.
private struct FolderLock: Sendable {
    static let prefix = "faultline-"
    static let suffix = ".lock"

    let folder: String
    let descriptor: Int32

    var file: String { folder + Self.suffix }

    static func make(_ purpose: String, in base: String) throws(FileProblem) -> FolderLock {
        for _ in 0..<10 {
            let folder = "\(base)/\(prefix)\(purpose)-\(UUID().uuidString)"
            let file = folder + suffix
            let descriptor = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                throw FileProblem(
                    "cannot create a file here (\(String(cString: strerror(errno))))",
                    instead: "set TMPDIR to a folder that is writable")
            }
            let lock = FolderLock(folder: folder, descriptor: descriptor)
            // Another process that cleans up may have locked the file first. It then removes the
            // file, and the next name is tried.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, lock.isStillThere { return lock }
            close(descriptor)
        }
        throw FileProblem("no file can be locked here", instead: "set TMPDIR to another folder")
    }

    /// Acquires the lock of a process that has ended; returns nil while the process is alive.
    static func take(over file: String) -> FolderLock? {
        let descriptor = open(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let lock = FolderLock(folder: String(file.dropLast(suffix.count)), descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, lock.isStillThere else {
            close(descriptor)
            return nil
        }
        return lock
    }

    /// Whether the lock file is a regular file of this user that still has its name.
    private var isStillThere: Bool {
        var own = stat()
        var named = stat()
        return fstat(descriptor, &own) == 0 && lstat(file, &named) == 0
            && own.st_ino == named.st_ino && own.st_dev == named.st_dev
            && own.st_mode & S_IFMT == S_IFREG && own.st_uid == geteuid()
    }

    func remove() {
        unlink(file)
        close(descriptor)
    }
}

/// Removes the folders of processes that ended without removing them.
package enum AbandonedFolders {
    private static let cleared = Mutex<Set<String>>([])

    /// Removes the abandoned folders in a base folder, once per process for each base folder.
    static func removeOnce(in base: String) {
        guard cleared.withLock({ $0.insert(base).inserted }) else { return }
        remove(in: base)
    }

    /// Removes the folders whose processes have ended.
    package static func remove(in base: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        for name in names where isOurs(name) {
            guard let lock = FolderLock.take(over: "\(base)/\(name)") else { continue }
            for folder in [lock.folder, lock.folder + LiveFolders.ending] {
                var status = stat()
                if lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
                    status.st_uid == geteuid()
                {
                    try? FileManager.default.removeItem(atPath: folder)
                }
            }
            lock.remove()
        }
    }

    /// Whether a name has the form `faultline-PURPOSE-UUID.lock`, which only ``TemporaryFolder``
    /// uses.
    private static func isOurs(_ name: String) -> Bool {
        guard name.hasPrefix(FolderLock.prefix), name.hasSuffix(FolderLock.suffix) else {
            return false
        }
        let stem = name.dropLast(FolderLock.suffix.count)
        return stem.count > 36 && UUID(uuidString: String(stem.suffix(36))) != nil
    }
}

/// The folders of this process. They are removed if a signal ends the process.
private enum LiveFolders {
    private static let paths = Mutex<Set<String>>([])
    /// The suffix of the name of a folder that is being removed.
    static let ending = ".ending"

    /// Creates and registers a folder in one step. If a signal came in between, the folder would
    /// not be removed.
    static func add(
        _ make: () throws(FileProblem) -> FolderLock
    ) throws(FileProblem) -> FolderLock {
        try paths.withLock { paths throws(FileProblem) in
            let lock = try make()
            paths.insert(lock.folder)
            return lock
        }
    }

    static func drop(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    /// Removes all folders, and ends the process before another one can be created.
    static func removeAll(thenEnd end: () -> Void) {
        paths.withLock { paths in
            for path in paths {
                remove(path)
                unlink(path + FolderLock.suffix)
            }
            end()
        }
    }

    /// Renames the folder before removing it, because other threads may still write to its path.
    private static func remove(_ path: String) {
        let renamed = path + ending
        let target = rename(path, renamed) == 0 ? renamed : path
        for _ in 0..<5 {
            try? FileManager.default.removeItem(atPath: target)
            if access(target, F_OK) != 0 { return }
        }
    }
}

/// If a signal ends the process, ends the child processes and removes the temporary folders first.
/// Only the tool installs these handlers, because a library must not handle the signals of a
/// program.
package enum CleanUpOnSignals {
    /// The pipe that the handlers write to; set before a handler can run.
    private static let pipe = Atomic<Int32>(-1)

    /// Handles SIGINT, SIGTERM and SIGHUP, unless they were ignored when the process started. After
    /// the clean-up, the signal ends the process as usual.
    package static func start() {
        var ends: [Int32] = [-1, -1]
        guard pipe.load(ordering: .relaxed) < 0, Glibc.pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipe.store(ends[1], ordering: .releasing)
        let reader = ends[0]
        let thread = Thread {
            var signal: UInt8 = 0
            while read(reader, &signal, 1) != 1 {
                if errno != EINTR { return }
            }
            // SIGPIPE is ignored, so that writing to a child that has ended does not end this
            // process.
            Glibc.signal(SIGPIPE, SIG_IGN)
            ChildProcesses.endAll()
            let number = Int32(signal)
            LiveFolders.removeAll {
                Glibc.signal(number, SIG_DFL)
                kill(getpid(), number)
            }
        }
        thread.stackSize = 1 << 19
        thread.start()
        for number in [SIGINT, SIGTERM, SIGHUP] {
            handle(number)
            unblock(number)
        }
    }

    /// Unblocks a signal. A process inherits the blocked signals of the thread that started it, and
    /// pool threads block every signal. Without this call, the signal could not end such a process.
    private static func unblock(_ number: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    private static func handle(_ number: Int32) {
        var old = sigaction()
        guard sigaction(number, nil, &old) == 0 else { return }
        // A signal that is ignored stays ignored, as under `nohup` and in background jobs of a
        // shell.
        if unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
        {
            return
        }
        var new = sigaction()
        new.sa_flags = SA_RESTART
        new.__sigaction_handler.sa_handler = { number in
            // A signal handler may call only async-signal-safe functions, such as `write`.
            var byte = UInt8(truncatingIfNeeded: number)
            let code = errno
            _ = write(CleanUpOnSignals.pipe.load(ordering: .relaxed), &byte, 1)
            errno = code
        }
        sigaction(number, &new, nil)
    }
}
