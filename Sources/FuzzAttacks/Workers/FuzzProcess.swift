import Foundation
import Glibc

/// The supervisor's handle of a worker process.
struct FuzzProcess: Sendable {
    struct End: Sendable, Equatable {
        enum Cause: Sendable, Equatable {
            case signal(Int32)
            case status(Int32)
        }

        let cause: Cause
        /// The worker's peak memory use; 0 if unknown.
        let peakBytes: Int
    }

    let id: pid_t
    let page: FuzzPage
    let pagePath: String
    /// The file descriptor from which the worker's replies are read.
    let replies: Int32
    private let requests: Int32

    /// Starts a worker.
    ///
    /// - Parameters:
    ///   - tool: the program, which has the worker's hidden subcommand.
    ///   - path: the file of the shared page.
    init(tool: String, page path: String) throws(FuzzFailure) {
        let shared = try FuzzPage(path)
        shared.reset()
        let (input, output) = (try Self.makePipe(), try Self.makePipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, Self.errors(path), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // A backtrace takes seconds, and the stored input is more useful.
        let environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let words = [tool, FuzzWorker.subcommand, path].map { (text: String) in strdup(text) }
        let variables = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, tool, &actions, nil, words + [nil], variables + [nil])
        close(input[0])
        close(output[1])
        guard code == 0 else {
            close(input[1])
            close(output[0])
            throw FuzzFailure("\(tool) could not be started: error \(code)")
        }
        (id, page, pagePath, replies, requests) = (process, shared, path, output[0], input[1])
    }

    private static func makePipe() throws(FuzzFailure) -> [Int32] {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw FuzzFailure("a pipe could not be created: error \(errno)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    private static func errors(_ page: String) -> String { page + ".errors" }

    /// Sends a request. If the worker has ended, reading its reply reports this.
    func send(_ request: FuzzRequest) {
        page.reset()
        _ = request.line.utf8CString.withUnsafeBytes {
            write(requests, $0.baseAddress, $0.count - 1)
        }
    }

    func kill() { _ = Glibc.kill(id, SIGKILL) }

    /// Closes the worker's input, which ends an idle worker. Then waits for the process to end, and
    /// releases all resources.
    @discardableResult func finish() -> End {
        close(requests)
        var status: Int32 = 0
        var usage = rusage()
        while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
        close(replies)
        page.unmap()
        let signal = status & 0x7F
        return End(
            cause: signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal),
            peakBytes: Self.ownPeak(usage))
    }

    /// The worker's peak memory use. A process inherits the peak of its parent. So the kernel's
    /// number counts only if it is higher than the parent's.
    private static func ownPeak(_ usage: rusage) -> Int {
        var starter = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &starter)
        return usage.ru_maxrss > starter.ru_maxrss ? usage.ru_maxrss << 10 : 0
    }

    /// The last line that the process printed about its end, if any.
    var complaint: String? {
        guard let data = FileManager.default.contents(atPath: Self.errors(pagePath)) else {
            return nil
        }
        let lines = String(decoding: data.suffix(4_096), as: UTF8.self).split(separator: "\n")
        let telling = lines.last { $0.contains("atal error:") } ?? lines.last
        return telling.map { String($0.prefix(300)) }
    }
}
