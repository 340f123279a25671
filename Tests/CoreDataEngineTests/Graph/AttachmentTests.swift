import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization
import Testing

@Suite struct AttachmentTests {
    private func stacks() throws -> (GraphStack, GraphStack) {
        (try GraphStack(GraphModels.moody()), try GraphStack(GraphModels.moody()))
    }

    @Test func `a coordinator can be changed while the context has no objects`() throws {
        let (one, other) = try stacks()
        let context = one.context()
        try context.attach(to: other.coordinator)
        #expect(context.persistentStoreCoordinator === other.coordinator)
        try context.on {
            let country = context.make("Country", ["code": "A"])
            try context.attach(to: other.coordinator)
            #expect(throws: CoreDataError.self) { try context.attach(to: one.coordinator) }
            #expect(throws: CoreDataError.self) { try context.attach(to: nil) }
            #expect(context.registeredObjects == [country])
        }
        try context.on { context.reset() }
        try context.attach(to: nil)
        #expect(context.persistentStoreCoordinator == nil)
    }

    @Test func `a coordinator cannot be replaced by a parent, nor a parent by anything but nil`()
        throws
    {
        let (one, other) = try stacks()
        let (first, second) = (one.context(), one.context())
        #expect(throws: CoreDataError.self) { try first.attach(toParent: second) }
        try first.attach(toParent: nil)
        #expect(first.persistentStoreCoordinator === one.coordinator)
        let child = first.child()
        try child.attach(toParent: first)
        #expect(throws: CoreDataError.self) { try child.attach(toParent: second) }
        #expect(throws: CoreDataError.self) { try child.attach(to: other.coordinator) }
        try child.attach(to: nil)
        #expect(child.parent === first)
        try child.attach(toParent: nil)
        try child.attach(toParent: second)
        #expect(child.parent === second)
    }

    @Test func `a context receives no saves of its former coordinator`() throws {
        let (one, other) = try stacks()
        let (writer, listener) = (one.context(), one.context())
        listener.automaticallyMergesChangesFromParent = true
        try listener.attach(to: other.coordinator)
        try writer.on {
            writer.make("Country", ["code": "A"])
            try writer.save()
        }
        #expect(listener.stepped?.pending.isEmpty == true)
    }
}

/// Tests of code that compiles with Apple's framework but fails at run time.
@Suite struct RefusedTests {
    /// Lets tests call deprecated methods without a warning.
    private protocol Making {
        static func make()
        static func makeNew()
    }

    private enum Old: Making {
        @available(*, deprecated) static func make() { _ = NSManagedObjectContext() }
        @available(*, deprecated) static func makeNew() { _ = NSManagedObjectContext.new() }
    }

    private static func make(_ type: any Making.Type) { type.make() }
    private static func makeNew(_ type: any Making.Type) { type.makeNew() }

    @Test func `an object without an entity ends the process`() async {
        await #expect(processExitsWith: .failure) { _ = NSManagedObject() }
    }

    @Test func `a context without a queue ends the process`() async {
        await #expect(processExitsWith: .failure) { RefusedTests.make(Old.self) }
        await #expect(processExitsWith: .failure) { RefusedTests.makeNew(Old.self) }
    }

    @Test func `an observed value that enters a context is reported in the log`() {
        let lines = Mutex<[String]>([])
        let key = "name \(UUID().uuidString)"
        EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            NSManagedObjectContext(.privateQueue).observeValue(
                forKeyPath: key, of: nil, change: nil, context: nil)
        }
        let told = lines.withLock { $0 }
        #expect(told.count == 1 && told[0].contains(key))
    }
}
