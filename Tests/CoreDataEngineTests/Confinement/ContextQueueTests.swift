import CoreDataStore
import Testing

@testable import CoreDataEngine

/// The name of a context is the label of its queue.
@Suite struct ContextQueueTests {
    // Proves S5-15
    @Test func `the name of a context with a private queue is the queue's label`() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.name = "import"
        #expect(context.queue.label == "import")
        context.name = "export"
        #expect(context.queue.label == "export")
    }
}
