import Foundation

/// A program that reads a request from standard input and writes a reply to standard output.
///
/// The measurement starts the program once per round.
///
/// If the operation changes the file, the program works on copies. The program leaves the last copy
/// as `peer.sqlite` in the request's folder. The measurement then compares the rows of this copy
/// with those of the C baseline.
package struct Peer: Sendable {
    /// The path of the program, followed by its arguments.
    package var command: [String]

    /// Parses a command line by splitting it at spaces.
    package init(_ command: String) {
        self.command = command.split(separator: " ").map(String.init)
    }

    func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        guard let program = command.first else { throw MeasurementError("the peer has no name") }
        let file = request.folder + "/peer.sqlite"
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: file + suffix)
            }
        }
        // A name without a slash is looked up in PATH.
        let isPath = program.contains("/")
        let launcher = ProcessLauncher(
            executable: isPath ? program : "/usr/bin/env",
            arguments: isPath ? Array(command.dropFirst()) : command)
        var reply = try launcher.launch(request)
        if let access = request.variant?.operation.access, access == .changes || access == .creates
        {
            reply.checksum = String(try BaselineSide.digest(file), radix: 16)
        }
        return reply
    }
}
