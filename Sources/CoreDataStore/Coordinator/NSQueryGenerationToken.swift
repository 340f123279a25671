import Foundation
import Synchronization

/// Identifies the state of a coordinator's stores that a context reads.
///
/// Opaque. The state is kept as long as a token or a context refers to it. May be used on any
/// thread; an archived token is only valid in the process that created it.
public final class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding {
    package let generation: QueryGeneration?
    private let name: String

    private init(_ generation: QueryGeneration?, name: String) {
        self.generation = generation
        self.name = name
    }

    package convenience init(_ generation: QueryGeneration) {
        self.init(generation, name: TokenNames.name(of: generation))
    }

    private static let currentToken = NSQueryGenerationToken(nil, name: "current")

    /// Represents the state that the stores have at the context's next read.
    public class var current: NSQueryGenerationToken { currentToken }

    /// Returns the receiver: tokens are immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSQueryGenerationToken)?.name == name
    }

    public override var hash: Int { name.hashValue }

    public override var description: String { "<NSQueryGenerationToken \(name)>" }

    // MARK: Archiving

    /// Tokens support secure coding, because an archive contains only the name of the state.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the name of the state.
    public func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "NSQueryGenerationName")
    }

    /// Reads an archived token; nil if its state is no longer kept.
    public init?(coder: NSCoder) {
        guard
            let name = coder.decodeObject(of: NSString.self, forKey: "NSQueryGenerationName")
        else { return nil }
        self.name = String(describing: name)
        generation = TokenNames.generation(named: self.name)
        if generation == nil, self.name != "current" { return nil }
    }
}

// `@unchecked Sendable` because both fields are immutable and the generation is Sendable.
extension NSQueryGenerationToken: @unchecked Sendable {}

/// The states that are kept in this process, by name.
private enum TokenNames {
    private struct Known {
        weak var generation: QueryGeneration?
    }

    private static let known = Mutex<[String: Known]>([:])
    /// A UUID of this process. It prevents tokens that other processes archived from being found.
    private static let process = UUID().uuidString

    static func name(of generation: QueryGeneration) -> String {
        let name = "\(process)-\(generation.generation)"
        known.withLock {
            $0 = $0.filter { $0.value.generation != nil }
            $0[name] = Known(generation: generation)
        }
        return name
    }

    static func generation(named name: String) -> QueryGeneration? {
        known.withLock { $0[name]?.generation }
    }
}
