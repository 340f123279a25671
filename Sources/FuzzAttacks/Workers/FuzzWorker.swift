import CoreDataTrace
import Dispatch
import Foundation
import Glibc

/// Runs inputs in this process until standard input ends. A hidden subcommand of the tool starts
/// it.
package enum FuzzWorker {
    /// The name of the hidden subcommand. Its argument is the path of the shared page.
    package static let subcommand = "torture-fuzz-worker"

    /// A worker whose memory use exceeds this limit between two inputs asks to be replaced.
    static let residentMax = 512 << 20
    /// The limit of mapped memory apart from files (`RLIMIT_DATA`). An input can allocate faster
    /// than the supervisor checks.
    private static let dataMax: rlim_t = 6 << 30
    /// The stack size of the thread that runs readers. Programs also call readers on secondary
    /// threads, so it is smaller than that of a main thread.
    private static let stackSize = 2 << 20

    enum Reply: UInt8 {
        case done = 0x64
        /// The worker uses too much memory. Another worker must run the rest of the range.
        case tired = 0x74
    }

    /// Serves the supervisor on a separate thread, so that inputs can use the main queue.
    package static func main(page path: String) -> Never {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &limit)
        limit = rlimit(rlim_cur: dataMax, rlim_max: dataMax)
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_DATA.rawValue)), &limit)
        // A reader may print something, which must not be taken for a reply.
        let replies = dup(STDOUT_FILENO)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        let thread = Thread { exit(serve(path, replies: replies)) }
        thread.stackSize = stackSize
        thread.start()
        dispatchMain()
    }

    private static func serve(_ path: String, replies: Int32) -> Int32 {
        do {
            let page = try FuzzPage(path)
            var targets: [String: FuzzTarget] = [:]
            while let line = readLine() {
                guard let request = FuzzRequest(line) else { return 64 }
                let target = try targets[request.target] ?? FuzzTargets.target(request.target)
                targets[request.target] = target
                let findings = FindingsFile(path)
                let reply = run(request, target, page, findings)
                findings.close()
                guard write(replies, [reply.rawValue], 1) == 1 else { return 74 }
            }
            return 0
        } catch {
            StandardStream.log("\(error)\n")
            return 70
        }
    }

    private static func run(
        _ request: FuzzRequest, _ target: FuzzTarget, _ page: FuzzPage, _ findings: FindingsFile
    ) -> Reply {
        let given = request.input.map {
            [UInt8](FileManager.default.contents(atPath: $0) ?? Data())
        }
        for attempt in request.attempts {
            page.attempt = attempt
            switch target.run(given ?? target.input(of: attempt, seed: request.seed)) {
            case .accepted: page.accepted += 1
            case .refused: page.refused += 1
            case .broken(let what): findings.add(attempt, what)
            }
            if attempt % 64 == 63, attempt + 1 < request.attempts.upperBound,
                ProcessFacts.residentBytes(of: getpid()) > residentMax
            {
                page.attempt = attempt + 1
                return .tired
            }
        }
        return .done
    }
}

struct FuzzRequest {
    let target: String
    let seed: UInt64
    let attempts: Range<Int>
    /// A file with the only input. It is run instead of a generated input.
    var input: String?

    init(_ target: String, seed: UInt64, _ attempts: Range<Int>, input: String? = nil) {
        self.target = target
        self.seed = seed
        self.attempts = attempts
        self.input = input
    }

    init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 4).map(String.init)
        guard parts.count >= 4, let seed = UInt64(parts[1]), let first = Int(parts[2]),
            let last = Int(parts[3]), first <= last
        else { return nil }
        self.init(
            parts[0], seed: seed, first..<last, input: parts.count == 5 ? parts[4] : nil)
    }

    var line: String {
        let range = "\(target) \(seed) \(attempts.lowerBound) \(attempts.upperBound)"
        return range + (input.map { " \($0)" } ?? "") + "\n"
    }
}

/// A file with one line for each input that broke a guarantee. The file survives a later crash.
struct FindingsFile {
    private let file: Int32

    static func path(besides page: String) -> String { page + ".findings" }

    init(_ page: String) {
        file = open(Self.path(besides: page), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }

    func add(_ attempt: Int, _ what: String) {
        let line = "\(attempt) \(Data(what.utf8).base64EncodedString())\n"
        _ = line.utf8CString.withUnsafeBytes { write(file, $0.baseAddress, $0.count - 1) }
    }

    func close() { _ = Glibc.close(file) }

    static func take(besides page: String) -> [(attempt: Int, what: String)] {
        let path = path(besides: page)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), !text.isEmpty else {
            return []
        }
        unlink(path)
        return text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let attempt = Int(parts[0]),
                let what = Data(base64Encoded: String(parts[1]))
            else { return nil }
            return (attempt, String(decoding: what, as: UTF8.self))
        }
    }
}
