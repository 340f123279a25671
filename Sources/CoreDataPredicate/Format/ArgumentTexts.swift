import CRuntimeShims
import Foundation

/// Keeps the strings of arguments until the formatting code has read them, and maps their addresses
/// to the arguments.
///
/// `@unchecked Sendable` because `lock` guards the list.
final class ArgumentTexts: @unchecked Sendable {
    static let all = ArgumentTexts()
    /// The maximum number of entries: more than the arguments of one format, multiplied by the
    /// number of threads that read formats at the same time.
    private static let countMax = 4096

    private let lock = NSLock()
    private var entries: [Entry] = []
    private var next = 0

    private struct Entry {
        let text: NSString
        let origin: Origin

        var address: UnsafeRawPointer {
            UnsafeRawPointer(Unmanaged.passUnretained(text).toOpaque())
        }
    }

    /// The address of a string object, as an argument in C.
    func encoding(of value: some CustomStringConvertible) -> [Int] {
        let entry = Entry(text: NSString(string: value.description), origin: Origin(value))
        lock.withLock {
            if entries.count < Self.countMax {
                entries.append(entry)
            } else {
                entries[next] = entry
                next = (next + 1) % Self.countMax
            }
        }
        return [Int(bitPattern: entry.address)]
    }

    /// The value at an address. ``UnknownArgument`` if the value was released or not kept; nil if
    /// the address is not from this module.
    func value(at address: UnsafeRawPointer) -> Any? {
        lock.withLock {
            entries.last { $0.address == address }.map { $0.origin.value ?? UnknownArgument() }
        }
    }

    /// The string at an address, if Foundation has created it for a `String` argument; otherwise
    /// nil. `withVaList` keeps the object alive until its closure returns.
    static func string(at address: UnsafeRawPointer) -> String? {
        var word: UInt = 0
        guard faultline_peek(address, &word) != 0,
            word == unsafeBitCast(NSString.self as AnyClass, to: UInt.self)
        else { return nil }
        // Safe: the first word of an object is its class, which was compared with the class of
        // strings.
        return Unmanaged<NSString>.fromOpaque(address).takeUnretainedValue()._bridgeToSwift()
    }

    /// The original argument. Objects are held weakly, so a format does not extend their lifetime.
    private enum Origin {
        case value(Any)
        case object(WeakObject)
        /// A list or a set of objects. They are kept one by one, because the collection would
        /// retain them.
        case members([WeakObject], isSet: Bool)
        case unknown

        struct WeakObject { weak var object: AnyObject? }

        /// Collections that are deeper or longer than this are not kept.
        private static let levelsMax = 4
        private static let membersMax = 1000

        init(_ value: Any) {
            if Self.isPlain(value, levels: Self.levelsMax) {
                self = .value(value)
            } else if type(of: value) is AnyClass {
                self = .object(WeakObject(object: value as AnyObject))
            } else if let members = Self.objects(value) {
                self = .members(members, isSet: Mirror(reflecting: value).displayStyle == .set)
            } else {
                self = .unknown
            }
        }

        private static func objects(_ value: Any) -> [WeakObject]? {
            let style = Mirror(reflecting: value).displayStyle
            guard style == .collection || style == .set, let list = value as? any Collection,
                list.count <= membersMax
            else { return nil }
            let members = list.map { $0 as Any }
            guard members.allSatisfy({ type(of: $0) is AnyClass }) else { return nil }
            return members.map { WeakObject(object: $0 as AnyObject) }
        }

        var value: Any? {
            switch self {
            case .value(let value): value
            case .object(let object): object.object
            case .members(let members, let isSet): Self.whole(members, isSet: isSet)
            case .unknown: nil
            }
        }

        private static func whole(_ members: [WeakObject], isSet: Bool) -> Any? {
            let objects = members.compactMap(\.object)
            guard objects.count == members.count else { return nil }
            return isSet ? NSSet(array: objects) : objects
        }

        private static func isPlain(_ value: Any, levels: Int) -> Bool {
            switch value {
            case is any PlainValue, is NSString, is NSNumber, is NSDate, is NSData, is NSUUID,
                is NSURL, is NSNull:
                return true
            case let members as any Collection:
                return levels > 0 && members.count <= membersMax
                    && members.allSatisfy { isPlain($0, levels: levels - 1) }
            case let members as NSArray:
                return levels > 0 && members.count <= membersMax
                    && members.allSatisfy { isPlain($0, levels: levels - 1) }
            case let pair as (key: AnyHashable, value: Any):
                return isPlain(pair.key.base, levels: levels)
                    && isPlain(pair.value, levels: levels)
            default: return false
            }
        }
    }
}
