import Foundation

/// A shell that runs the server and stops it when this process ends.
///
/// `@unchecked Sendable` because the server that owns the object guards it with a mutex.
final class ServerWatcher: @unchecked Sendable {
    private let process = Process()
    private let pipe = Pipe()
    private let folder: String

    /// The first argument is the server's folder, and the others are the command. The shell reads
    /// until this process closes the pipe. Then it stops the server without waiting for clients,
    /// and removes the folder unless it has read the word `keep`.
    private static let script = """
        folder=$1
        shift
        trap '' HUP INT TERM
        "$@" >>"$folder/log" 2>&1 </dev/null &
        server=$!
        keeps=
        while read -r word; do keeps=$word; done
        kill -QUIT "$server" 2>/dev/null
        wait "$server"
        [ "$keeps" = keep ] || rm -rf "$folder" "$folder.lock"
        """

    init(folder: String, command: [String]) throws {
        self.folder = folder
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.script, "sh", folder] + command
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // No other child process may keep the pipe open.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try process.run()
    }

    var isRunning: Bool { process.isRunning && serverProcess.map { Self.isAlive($0) } != false }

    /// The server's main process, which writes its number into a file; nil before that.
    private var serverProcess: pid_t? {
        let file = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        return file?.split(separator: "\n").first.flatMap { pid_t($0) }
    }

    private static func isAlive(_ process: pid_t) -> Bool {
        Glibc.kill(process, 0) == 0 || errno == EPERM
    }

    /// Stops the server and keeps its files.
    func stop() {
        try? pipe.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8))
        try? pipe.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Kills the server's main process and its children, and keeps the files.
    func kill() {
        if let main = serverProcess {
            // A stopped main process can neither start a child nor report the end of one.
            Glibc.kill(main, SIGSTOP)
            let children = Self.children(of: main)
            for process in [main] + children { Glibc.kill(process, SIGKILL) }
            // The next start fails while a child still uses the shared memory.
            for process in children { while Self.isAlive(process) { usleep(1000) } }
        }
        stop()
    }

    private static func children(of parent: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // The name of the program is in parentheses; the state and the parent follow.
            let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && pid_t(fields[1]) == parent
        }
    }
}
