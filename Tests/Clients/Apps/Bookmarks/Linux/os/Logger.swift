/// The part of the system's `Logger` that the app uses. All messages are discarded.
public struct Logger {
    public init(subsystem: String, category: String) {}

    public func debug(_ message: LogMessage) {}
    public func error(_ message: LogMessage) {}
}

/// A log message whose interpolated values can be marked as private.
public struct LogMessage: ExpressibleByStringInterpolation {
    public enum Privacy { case `public`, `private` }

    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ value: Any, privacy: Privacy = .private) {}
    }

    public init(stringLiteral value: String) {}
    public init(stringInterpolation: StringInterpolation) {}
}
