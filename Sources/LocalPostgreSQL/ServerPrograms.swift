import Foundation

/// The programs of the newest server that is installed, and the user that runs them.
struct ServerPrograms: Sendable {
    let folder: String
    /// The words before a program's path. They stop the program when its parent is killed, and run
    /// it as another user if this process belongs to root, as whom the server refuses to run.
    let prefix: [String]
    /// The user and the group that own the server's files; nil for this process.
    let owner: (user: uid_t, group: gid_t)?

    static let installed = find()

    private static let oldestVersion = 15

    private static func find() -> ServerPrograms? {
        let best = folders.compactMap { folder in version(in: folder).map { (folder, $0) } }
            .max { $0.1 < $1.1 }
        guard let best, best.1 >= oldestVersion else { return nil }
        let setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].first(where: isProgram)
        let stopping = setpriv.map { [$0, "--pdeathsig", "QUIT"] } ?? []
        guard geteuid() == 0 else {
            return ServerPrograms(folder: best.0, prefix: stopping, owner: nil)
        }
        let names = ["postgres", "nobody"]
        guard let user = names.lazy.compactMap({ (name: String) in getpwnam(name) }).first,
            setpriv != nil
        else { return nil }
        let (number, group) = (user.pointee.pw_uid, user.pointee.pw_gid)
        return ServerPrograms(
            folder: best.0,
            prefix: stopping + ["--reuid=\(number)", "--regid=\(group)", "--clear-groups"],
            owner: (number, group))
    }

    /// The folders that may contain the programs.
    private static var folders: [String] {
        let files = FileManager.default
        let roots = ["/usr/lib/postgresql", "/usr/local/pgsql", "/usr/local/lib/postgresql"]
        let versions = roots.flatMap { root in
            ((try? files.contentsOfDirectory(atPath: root)) ?? []).map { "\(root)/\($0)/bin" }
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let listed = path.split(separator: ":").map(String.init)
        let configured = listed.map { $0 + "/pg_config" }.first(where: isProgram)
            .flatMap { try? output(of: [$0, "--bindir"]) }
        return (versions + roots.map { $0 + "/bin" } + listed + [configured].compactMap(\.self))
            .filter { isProgram($0 + "/postgres") && isProgram($0 + "/initdb") }
    }

    private static func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 }

    private static func version(in folder: String) -> Int? {
        let text = try? output(of: [folder + "/postgres", "--version"])
        return text?.firstMatch(of: /\) ([0-9]+)/).flatMap { Int($0.1) }
    }

    /// The command that runs a program as the server's user.
    func command(_ program: String, _ arguments: [String]) -> [String] {
        prefix + ["\(folder)/\(program)"] + arguments
    }

    /// Runs a program to its end and returns its output without the last line break.
    static func output(of command: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        // A user that may not read this folder could not start the program in it.
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard process.terminationStatus == 0 else {
            throw ServerProblem("\(command.joined(separator: " ")) failed: \(text)")
        }
        return text
    }
}

/// A problem of a server that this process starts.
package struct ServerProblem: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
