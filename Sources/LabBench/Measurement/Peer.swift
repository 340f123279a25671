import Foundation

/// Another program that does the work of an operation, for comparison. It reads a request from
/// standard input and writes a reply to standard output. It is started once in each round.
///
/// If the operation changes the file, the program works on copies. It leaves the last copy as
/// `peer.sqlite` in the request's folder, where its rows are compared with those of the C baseline.
package struct Peer: Sendable {
    package var command: [String]

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
        // A name without a slash is found in PATH.
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
