import CWaitHooks
import Testing

@testable import LabRunner

/// Tests of releasing a resource whose last reference to a lock makes the lab forget the lock.
@Suite struct CodeLocksTests {
    /// An object that forgets a lock in its `deinit`, as a lock of a program does.
    private final class Guard {
        let locks: CodeLocks
        init(_ locks: CodeLocks) { self.locks = locks }
        deinit { locks.forget(UnsafeMutableRawPointer(bitPattern: 64)) }
    }

    /// A table with one resource, which holds the last reference to a lock.
    private func table() -> (locks: CodeLocks, wait: faultline_wait) {
        let locks = CodeLocks()
        var wait = faultline_wait()
        wait.kind = FAULTLINE_LOCK
        wait.object = UnsafeMutableRawPointer(bitPattern: 128)
        let owner = Guard(locks)
        locks.resource(of: wait).blocker = {
            withExtendedLifetime(owner) {}
            return nil
        }
        return (locks, wait)
    }

    @Test func `a new schedule releases resources that end locks`() {
        let (locks, wait) = table()
        locks.reset()
        #expect(locks.known(wait.object) == nil)
    }

    @Test func `a lock that ends releases a resource that ends another lock`() {
        let (locks, wait) = table()
        locks.forget(wait.object)
        #expect(locks.known(wait.object) == nil)
    }

    @Test func `a new lock at the address of an old one releases the old resource`() {
        let (locks, wait) = table()
        locks.noteMade(FAULTLINE_LOCK, wait.object, by: "a")
        #expect(locks.known(wait.object)?.name == "the lock a/1")
    }
}
