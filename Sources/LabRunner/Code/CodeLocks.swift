import CWaitHooks

/// The locks, semaphores, groups and conditions that the threads of a schedule use, by their
/// addresses.
///
/// If the schedule creates an object, the object's name contains its creator, its kind and a serial
/// number. So it is the same in every schedule. An older object is named at its first use.
///
/// Releasing a resource may destroy another lock, which calls ``forget(_:)``. Therefore no function
/// releases a resource while it changes ``known``.
final class CodeLocks {
    private var known: [UInt: Baton.Resource] = [:]
    private var lasting: [UInt: String] = [:]
    private var made: [String: Int] = [:]
    /// Locks that a thread of a finished schedule treats as held, although it did not get them.
    private var pretended: Set<UInt> = []

    func reset() {
        let old = known
        known = Dictionary(minimumCapacity: old.count)
        withExtendedLifetime(old) {}
        made.removeAll(keepingCapacity: true)
        pretended.removeAll(keepingCapacity: true)
    }

    func resource(of wait: faultline_wait) -> Baton.Resource {
        let address = UInt(bitPattern: wait.object)
        if let found = known[address] { return found }
        let name =
            wait.is_own || wait.kind == FAULTLINE_CONDITION
            ? lastingName(wait.kind, address) : Self.word(wait.kind, isOwn: false)
        let resource = Baton.Resource(name, isLock: false)
        known[address] = resource
        return resource
    }

    /// The resource of the object; nil if no thread of the schedule has waited for the object.
    func known(_ object: UnsafeMutableRawPointer?) -> Baton.Resource? {
        if known.isEmpty { return nil }
        return known[UInt(bitPattern: object)]
    }

    private func lastingName(_ kind: faultline_wait_kind, _ address: UInt) -> String {
        if let name = lasting[address] { return name }
        let word = Self.word(kind, isOwn: true)
        let count = lasting.values.count { $0.hasPrefix("\(word) ") }
        let name = "\(word) \(count + 1)"
        lasting[address] = name
        return name
    }

    /// Records that the schedule has created an object.
    ///
    /// - Parameter maker: the lane, or the body.
    func noteMade(_ kind: faultline_wait_kind, _ object: UnsafeMutableRawPointer?, by maker: String)
    {
        let word = Self.word(kind, isOwn: true)
        let number = made["\(word) \(maker)", default: 0] + 1
        made["\(word) \(maker)"] = number
        let address = UInt(bitPattern: object)
        lasting[address] = nil
        let old = known.updateValue(
            Baton.Resource("\(word) \(maker)/\(number)", isLock: false), forKey: address)
        withExtendedLifetime(old) {}
    }

    func forget(_ object: UnsafeMutableRawPointer?) {
        let old = known.removeValue(forKey: UInt(bitPattern: object))
        withExtendedLifetime(old) {}
        lasting[UInt(bitPattern: object)] = nil
    }

    func pretend(_ object: UnsafeMutableRawPointer?) { pretended.insert(UInt(bitPattern: object)) }

    /// - Returns: whether the thread treated the lock as held without holding it.
    func endPretending(_ object: UnsafeMutableRawPointer?) -> Bool {
        !pretended.isEmpty && pretended.remove(UInt(bitPattern: object)) != nil
    }

    private static func word(_ kind: faultline_wait_kind, isOwn: Bool) -> String {
        switch kind {
        case FAULTLINE_SEMAPHORE: "the semaphore"
        case FAULTLINE_GROUP: "the group"
        case FAULTLINE_CONDITION: "the condition"
        case FAULTLINE_INLINED_LOCK: "a Mutex"
        case FAULTLINE_ONCE: "the initial value of a global variable"
        default: isOwn ? "the lock" : "a lock of a library"
        }
    }
}
