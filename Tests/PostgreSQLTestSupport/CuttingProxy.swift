import Foundation
import LabFiles
import LocalPostgreSQL
import Synchronization

/// Forwards connections to a server, and cuts them at a chosen moment.
///
/// Messages are counted from the call of ``cut(_:)``, over all connections. The first message of a
/// connection, with the names of user and database, is one of them.
package final class CuttingProxy: Sendable {
    /// The moment at which a connection is cut.
    package enum Moment: Sendable, Equatable {
        /// The client has sent its nth message, counted from 1, and the server has not received it.
        case beforeMessage(Int)
        /// The server has received the client's nth message and has answered, but the client has
        /// not received the answer.
        case afterMessage(Int)
        /// The server has received a number of bytes from the client.
        case afterBytes(Int)
        /// The client has received a number of bytes from the server.
        case afterAnswerBytes(Int)
    }

    private struct State {
        var moment: Moment?
        var messages = 0
        var bytes = 0
        var answerBytes = 0
        var delayMilliseconds: Int32 = 0
        var cuts = 0
        /// The sockets of the open connections.
        var sockets: Set<Int32> = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let listener: Int32
    private let target: String
    private let folder: TemporaryFolder

    /// The folder of the proxy's socket, for the option `host` of an address.
    package var socketFolder: String { folder.path }

    private static let socketName = ".s.PGSQL.5432"

    /// Starts a proxy for a server.
    package init(to server: TestServer) throws {
        target = "\(server.socketFolder)/\(Self.socketName)"
        folder = try TemporaryFolder("proxy")
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isListening = withSocketAddress("\(folder.path)/\(Self.socketName)") {
            bind(listener, $0, $1)
        }
        guard isListening == 0, listen(listener, 64) == 0 else {
            throw ServerProblem("a proxy cannot listen in \(folder.path)")
        }
        // The thread does not keep the proxy alive, so that the proxy can end the thread.
        inBackground { [weak self, listener] in
            while let client = Self.accept(listener) {
                if let self { self.connect(client) } else { Glibc.close(client) }
            }
            Glibc.close(listener)
        }
    }

    deinit { close() }

    /// Cuts all connections, and accepts no others.
    package func close() {
        // The thread closes the listener afterwards, and its number may then be another socket's.
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        cutAll()
    }

    /// Plans one cut; nil cancels the plan.
    package func cut(_ moment: Moment?) {
        state.withLock { state in
            state.moment = moment
            (state.messages, state.bytes, state.answerBytes) = (0, 0, 0)
        }
    }

    /// Delays each message of the clients.
    package func delay(milliseconds: Int32) {
        state.withLock { $0.delayMilliseconds = milliseconds }
    }

    /// The number of planned cuts that have happened.
    package var cuts: Int { state.withLock { $0.cuts } }

    /// The number of messages since the last call of ``cut(_:)``.
    package var messages: Int { state.withLock { $0.messages } }

    /// Cuts all connections now.
    package func cutAll() {
        state.withLock { state in
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    // MARK: Connections

    /// The next client; nil after the listener was shut down.
    private static func accept(_ listener: Int32) -> Int32? {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client >= 0 { return client }
            if errno != EINTR { return nil }
        }
    }

    /// Connects a client with the server.
    private func connect(_ client: Int32) {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = withSocketAddress(target) { Glibc.connect(server, $0, $1) } == 0
        let isOpen = state.withLock { state in
            if isConnected, !state.isClosed { state.sockets.formUnion([client, server]) }
            return isConnected && !state.isClosed
        }
        if isOpen { return forward(Pair(client: client, server: server)) }
        Glibc.close(client)
        Glibc.close(server)
    }

    /// The two sockets of a connection.
    private final class Pair: Sendable {
        let client: Int32
        let server: Int32
        /// Whether the next answer of the server is dropped and the connection cut.
        let dropsAnswer = Atomic(false)
        /// The number of directions that have ended.
        let ends = Atomic(0)

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }
    }

    private func forward(_ pair: Pair) {
        inBackground { [self] in
            var messages = MessageReader()
            while let bytes = receive(pair.client) {
                messages.append(bytes)
                while let message = messages.next() {
                    guard forward(message, pair) else { return end(pair) }
                }
            }
            end(pair)
        }
        inBackground { [self] in
            while let bytes = receive(pair.server) {
                if pair.dropsAnswer.load(ordering: .acquiring) {
                    noteCut()
                    break
                }
                let allowed = allowedAnswer(bytes.count)
                guard send(bytes.prefix(allowed), to: pair.client), allowed == bytes.count else {
                    break
                }
            }
            end(pair)
        }
    }

    /// Forwards a message of the client; false if the connection is cut.
    private func forward(_ message: [UInt8], _ pair: Pair) -> Bool {
        let (moment, number, sent, delay) = state.withLock { state in
            state.messages += 1
            defer { state.bytes += message.count }
            return (state.moment, state.messages, state.bytes, state.delayMilliseconds)
        }
        if delay > 0 { poll(nil, 0, delay) }
        switch moment {
        case .beforeMessage(number):
            noteCut()
            return false
        case .afterMessage(number):
            pair.dropsAnswer.store(true, ordering: .releasing)
        case .afterBytes(let limit) where sent + message.count >= limit:
            _ = send(message.prefix(max(0, limit - sent)), to: pair.server)
            noteCut()
            return false
        default: break
        }
        return send(message[...], to: pair.server)
    }

    /// The number of bytes of an answer that the client still receives.
    private func allowedAnswer(_ count: Int) -> Int {
        state.withLock { state in
            state.answerBytes += count
            guard case .afterAnswerBytes(let limit) = state.moment, state.answerBytes >= limit
            else { return count }
            state.moment = nil
            state.cuts += 1
            return max(0, count - (state.answerBytes - limit))
        }
    }

    private func noteCut() {
        state.withLock { state in
            state.moment = nil
            state.cuts += 1
        }
    }

    /// Ends one direction of a connection. The second call closes the sockets.
    private func end(_ pair: Pair) {
        state.withLock { state in
            shutdown(pair.client, Int32(SHUT_RDWR))
            shutdown(pair.server, Int32(SHUT_RDWR))
            guard pair.ends.add(1, ordering: .acquiringAndReleasing).newValue == 2 else { return }
            state.sockets.subtract([pair.client, pair.server])
            Glibc.close(pair.client)
            Glibc.close(pair.server)
        }
    }
}

/// Divides the bytes of a client into messages.
private struct MessageReader {
    private var bytes: [UInt8] = []
    /// Whether the messages still have no type: the start message, and requests for encryption.
    private var isStarting = true
    private static let protocolVersion = 3 << 16

    mutating func append(_ more: [UInt8]) { bytes += more }

    mutating func next() -> [UInt8]? {
        let typeSize = isStarting ? 0 : 1
        guard let length = word(at: typeSize), bytes.count >= typeSize + length else { return nil }
        if isStarting, word(at: 4) == Self.protocolVersion { isStarting = false }
        defer { bytes.removeFirst(typeSize + length) }
        return Array(bytes.prefix(typeSize + length))
    }

    private func word(at offset: Int) -> Int? {
        guard bytes.count >= offset + 4 else { return nil }
        return bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}

private func receive(_ socket: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}

private func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
    var left = bytes
    while !left.isEmpty {
        let count = left.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        left = left.dropFirst(count)
    }
    return true
}

private func withSocketAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { target in
        target.copyBytes(from: Array(path.utf8.prefix(target.count - 1)) + [0])
    }
    return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}

private func inBackground(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.stackSize = 1 << 19
    thread.start()
}
