import CRuntimeShims
import Foundation

/// Keeps the texts of arguments until whoever formats has read them, and knows whose they are.
///
/// `@unchecked Sendable` because `lock` guards the list.
final class ArgumentTexts: @unchecked Sendable {
    static let all = ArgumentTexts()
    /// More than a format has arguments, times the threads that format at one moment.
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

    /// The address of a string object, as C's variable arguments have it.
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

    /// The value that has this address in variable arguments; nil where none has, or it is gone.
    func value(at address: UnsafeRawPointer) -> Any? {
        lock.withLock { entries.last { $0.address == address }?.origin.value }
    }

    /// The string object that Foundation makes of a `String` among variable arguments; nil where
    /// the address is of anything else. `withVaList` keeps the object until its closure has ended.
    static func string(at address: UnsafeRawPointer) -> String? {
        var word: UInt = 0
        guard faultline_peek(address, &word) != 0,
            word == unsafeBitCast(NSString.self as AnyClass, to: UInt.self)
        else { return nil }
        // Safe: an object begins with its class, and this one's class is that of strings.
        return Unmanaged<NSString>.fromOpaque(address).takeUnretainedValue()._bridgeToSwift()
    }

    /// What an argument was. Values are kept; objects are not, so that no format prolongs a life.
    private enum Origin {
        case value(Any)
        case object(WeakObject)
        case unknown

        struct WeakObject { weak var object: AnyObject? }

        /// Deeper and longer collections are not kept.
        private static let levelsMax = 4
        private static let membersMax = 1000

        init(_ value: Any) {
            if Self.isPlain(value, levels: Self.levelsMax) {
                self = .value(value)
            } else if type(of: value) is AnyClass {
                self = .object(WeakObject(object: value as AnyObject))
            } else {
                self = .unknown
            }
        }

        var value: Any? {
            switch self {
            case .value(let value): value
            case .object(let object): object.object
            case .unknown: nil
            }
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
