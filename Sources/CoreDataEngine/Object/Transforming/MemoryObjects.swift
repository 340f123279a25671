import Foundation

/// Holds the values of in-memory stores for which no transformer creates bytes. In place of the
/// bytes, a row contains a name that identifies the object. The objects are kept until the process
/// ends.
///
/// `@unchecked Sendable` because `lock` guards the array and the dictionary. The objects themselves
/// are used on the queues of the contexts that read them.
final class MemoryObjects: @unchecked Sendable {
    static let shared = MemoryObjects()

    private let lock = NSLock()
    /// The prefix of all names; unique to this process.
    private let prefix = Data(UUID().uuidString.utf8)
    private var objects: [Any] = []
    private var numbers: [ObjectIdentifier: Int] = [:]

    /// The name of an object. A class instance always has the same name.
    func name(of object: Any) -> Data {
        let identity = type(of: object) is AnyClass ? ObjectIdentifier(object as AnyObject) : nil
        let number = lock.withLock {
            if let known = identity.flatMap({ numbers[$0] }) { return known }
            objects.append(object)
            if let identity { numbers[identity] = objects.count - 1 }
            return objects.count - 1
        }
        return prefix + Data("\(number)".utf8)
    }

    /// The object with a name; nil for bytes that are not a name.
    func object(named name: Data) -> Any? {
        guard name.starts(with: prefix),
            let number = Int(String(decoding: name.dropFirst(prefix.count), as: UTF8.self))
        else { return nil }
        return lock.withLock { objects.indices.contains(number) ? objects[number] : nil }
    }
}
