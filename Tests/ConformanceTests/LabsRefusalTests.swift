import CoreData
import Testing

/// Misuses for which Core Data ends the process. `XCTest` cannot observe this, so the tests use
/// Swift Testing.
@Suite struct LabsRefusalTests {
    // Proves S5-1, S2.12-4
    @Test func `L49 a context of the old confinement type is refused by name`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(".privateQueueConcurrencyType"))
        #expect(text.contains(".mainQueueConcurrencyType"))
    }

    @Test func `L52 NSManagedObject itself has no entity`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try Office(Ebooks.model).work { context in _ = NSManagedObject(context: context) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("names the class NSManagedObject"))
        #expect(text.contains("entity"))
    }
}
