/// The system's logger, as far as the app uses it: messages go nowhere.
public struct Logger {
    public init(subsystem: String, category: String) {}

    public func debug(_ message: LogMessage) {}
    public func error(_ message: LogMessage) {}
}

/// A message with values that may be private.
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
