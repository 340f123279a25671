import CoreDataPostgreSQLClient
import CoreDataTrace
import Foundation
import Synchronization

/// Receives the messages of a channel on a thread and a connection of its own, until the listener
/// is closed or released.
final class ServerListener: Sendable {
    private let loop: Loop

    init(_ address: ServerAddress, _ options: Connection.Options, channel: String) {
        loop = Loop(address, options, channel: channel)
    }

    deinit { loop.end() }

    func close() { loop.end() }

    /// Starts the thread.
    ///
    /// - Parameter body: called with each message; nil after a time without a connection, in which
    ///   messages may have been lost.
    func start(_ body: @escaping @Sendable (String?) -> Void) {
        // Messages that are sent after this call are not missed.
        let first = try? loop.connect()
        let thread = Thread { [loop] in loop.run(first, body) }
        thread.name = "faultline listener"
        thread.stackSize = 1 << 19
        thread.start()
    }
}

/// The loop of the thread. The thread does not retain its listener.
private final class Loop: Sendable {
    /// The wait after a failed attempt to connect, which is doubled up to the second number.
    private static let (firstDelay, lastDelay) = (0.1, 5.0)

    private let hasEnded = Atomic(false)
    /// A pipe whose closed end makes the thread return from its wait.
    private let waker = Pipe()
    private let address: ServerAddress
    private let options: Connection.Options
    private let channel: String

    init(_ address: ServerAddress, _ options: Connection.Options, channel: String) {
        self.address = address
        self.options = options
        self.channel = channel
    }

    func end() {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        try? waker.fileHandleForWriting.close()
    }

    func connect() throws(ServerError) -> Connection {
        let connection = try Connection(address, options: options)
        try connection.listen(to: channel)
        return connection
    }

    func run(_ first: Connection?, _ body: (String?) -> Void) {
        var connection = first
        var delay = Self.firstDelay
        let waking = waker.fileHandleForReading.fileDescriptor
        while !hasEnded.load(ordering: .relaxed) {
            do throws(ServerError) {
                if let connection {
                    let found = try connection.waitForNotifications(
                        milliseconds: nil, waker: waking)
                    for message in found where message.channel == channel { body(message.payload) }
                } else {
                    connection = try connect()
                    delay = Self.firstDelay
                    body(nil)
                }
            } catch {
                connection = nil
                if delay == Self.firstDelay {
                    EngineLog.note(
                        "the store \(address) does not receive changes of others until it has a"
                            + " connection again: \(error)")
                }
                Thread.sleep(forTimeInterval: delay)
                delay = min(2 * delay, Self.lastDelay)
            }
        }
    }
}
