import Foundation
import LabResults

/// A program that reads a request from standard input and writes a reply to standard output.
///
/// The measurement runs one process of it in every round.
///
/// If the work changes the file, the peer copies the file itself. It leaves the last copy as
/// `peer.sqlite` in the request's folder, where its rows are compared with C's.
package struct Peer: Sendable {
    /// The program and its arguments.
    package var command: [String]

    /// Reads a command line, split at spaces.
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
        // A name without a folder is searched for in PATH.
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
