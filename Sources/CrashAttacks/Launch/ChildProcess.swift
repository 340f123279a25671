import Foundation
import Glibc
import TortureCampaigns

/// A running child process. The caller must wait for its end.
///
/// The campaigns start thousands of victims. Foundation's `Process` is too slow for that, and its
/// children inherit too many signal settings.
struct ChildProcess {
    enum Ending: Equatable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)

        var description: String {
            switch self {
            case .exited(let status): "ended with status \(status)"
            case .signalled(SIGALRM): "hung and was ended after its time limit"
            case .signalled(let signal): "was ended by signal \(signal)"
            }
        }
    }

    /// The parameters for starting a process.
    struct Plan {
        var program: String
        var arguments: [String]
        /// Variables that are added to this process's environment.
        var environment: [String: String] = [:]
        var output: String
        var complaint: String
        /// Descriptors of this process. The child has them as its descriptors 0 and 3.
        var input: Int32?
        var readiness: Int32?
    }

    let id: pid_t

    init(_ plan: Plan) throws(InputFailure) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if let input = plan.input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 1, plan.output, flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, plan.complaint, flags, 0o600)
        if let readiness = plan.readiness {
            posix_spawn_file_actions_adddup2(&actions, readiness, 3)
        }
        Self.resetSignals(&attributes)
        id = try Self.spawn(plan, &actions, &attributes)
    }

    /// This process blocks the signals that would end it. Its children must not block them.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    private static func spawn(
        _ plan: Plan, _ actions: inout posix_spawn_file_actions_t,
        _ attributes: inout posix_spawnattr_t
    ) throws(InputFailure) -> pid_t {
        let environment = ProcessInfo.processInfo.environment
            .merging(plan.environment) { $1 }.map { "\($0.key)=\($0.value)" }
        var arguments = ([plan.program] + plan.arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let failure = posix_spawn(
            &id, plan.program, &actions, &attributes, &arguments, &variables)
        guard failure == 0 else {
            throw InputFailure(
                "\(plan.program) cannot be started: \(String(cString: strerror(failure)))")
        }
        return id
    }

    func wait() -> Ending {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
}
