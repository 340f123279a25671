import CoreDataStore
import Testing

@testable import CoreDataEngine

/// What a context has of its queue.
@Suite struct ContextQueueTests {
    // Proves S5-15
    @Test func `The name of a context with a queue of its own is the queue's label`() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.name = "import"
        #expect(context.queue.label == "import")
        context.name = "export"
        #expect(context.queue.label == "export")
    }
}
