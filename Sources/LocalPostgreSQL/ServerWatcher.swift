import Foundation

/// A shell that runs the server and stops it when this process ends.
///
/// `@unchecked Sendable` because the server that owns the object guards it with a mutex.
final class ServerWatcher: @unchecked Sendable {
    private let process = Process()
    private let pipe = Pipe()
    private let folder: String

    /// The first argument is the server's folder, and the others are the command.
    ///
    /// The shell prints a word when the server accepts connections or has ended, and after a minute
    /// in any case. Then the shell reads commands until this process closes the pipe. At the end it
    /// stops the server without waiting for clients, and removes the folder unless it has read the
    /// command `keep`.
    private static let script = """
        folder=$1
        shift
        trap '' HUP INT TERM
        rm -f "$folder/data/postmaster.pid"
        "$@" >>"$folder/log" 2>&1 </dev/null &
        server=$!
        state=ready
        checks=0
        until grep -q '^ready' "$folder/data/postmaster.pid" 2>/dev/null; do
            kill -0 "$server" 2>/dev/null || { state=ended; break; }
            checks=$((checks + 1))
            [ "$checks" -lt 3000 ] || { state=late; break; }
            sleep 0.02
        done
        echo "$state"
        keeps=
        while read -r word processes; do
            case $word in
            keep) keeps=yes ;;
            kill)
                kill -KILL $server $processes
                for process in $processes; do
                    while [ -e "/proc/$process/exe" ]; do sleep 0.01; done
                done
                ;;
            esac
        done
        kill -QUIT "$server" 2>/dev/null
        wait "$server"
        [ "$keeps" ] || rm -rf "$folder" "$folder.lock"
        """

    /// Starts the server, and waits until it accepts connections.
    init(folder: String, command: [String]) throws {
        self.folder = folder
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.script, "sh", folder] + command
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = pipe
        let answers = Pipe()
        process.standardOutput = answers
        process.standardError = FileHandle.nullDevice
        // No other child process may keep the pipe open.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try process.run()
        let answer = String(decoding: answers.fileHandleForReading.availableData, as: UTF8.self)
        guard answer == "ready\n" else {
            stop()
            let log = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? ""
            throw ServerProblem(
                "the server ended, or did not start within a minute: \(log.suffix(2000))")
        }
    }

    /// The server's main process, which writes its number into a file; nil before that.
    private var serverProcess: pid_t? {
        let file = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        return file?.split(separator: "\n").first.flatMap { pid_t($0) }
    }

    /// Stops the server and keeps its files.
    func stop() {
        send("keep")
        try? pipe.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Kills the server's main process and its children, and keeps the files.
    func kill() {
        if let main = serverProcess {
            // A stopped main process can neither start a child nor report the end of one.
            Glibc.kill(main, SIGSTOP)
            let children = Self.children(of: main).map(String.init)
            // The next start fails while a child still uses the shared memory, so the shell waits.
            send("kill \(children.joined(separator: " "))")
        }
        stop()
    }

    private func send(_ command: String) {
        // Writing to a shell that has ended would end this process.
        guard process.isRunning else { return }
        try? pipe.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
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
