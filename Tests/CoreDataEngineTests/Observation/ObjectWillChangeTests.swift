import CoreDataModel
import CoreDataStore
import Foundation
import Testing

@testable import CoreDataEngine

@Suite struct ObjectWillChangeTests {
    @Test func `it is sent before each change of a modelled property`() throws {
        let context = try Press.stack().context()
        try context.on {
            let volume = context.volume("A")
            let writer = context.writer("Ann")
            var seen: [String] = []
            var kept: Set<CombineTypes.AnyCancellable> = []
            volume.objectWillChange.sink { seen.append("volume \(volume.title ?? "nil")") }
                .store(in: &kept)
            writer.objectWillChange.sink { seen.append("writer \(writer.volumes?.count ?? -1)") }
                .store(in: &kept)
            volume.title = "B"
            volume.writer = writer
            #expect(seen == ["volume A", "volume B", "writer 0"])
            writer.setValue(3, forKey: "mood")
            #expect(seen.count == 3)
            context.delete(volume)
            context.processPendingChanges()
            #expect(seen.last == "writer 1")
            for subscription in kept { subscription.cancel() }
            writer.first = "x"
            #expect(seen.count == 4)
        }
    }

    @Test func `each object has one publisher, which generic code can use`() throws {
        func publisher<O: CombineTypes.ObservableObject>(of object: O)
            -> O.ObjectWillChangePublisher
        {
            object.objectWillChange
        }
        let context = try Press.stack().context()
        try context.on {
            let volume = context.volume("A")
            #expect(publisher(of: volume) === volume.objectWillChange)
            var count = 0
            let subscription = volume.objectWillChange.sink { _ in count += 1 }
            volume.objectWillChange.send()
            #expect(count == 1)
            subscription.cancel()
            volume.objectWillChange.send()
            #expect(count == 1)
        }
    }

    @Test func `a subscription ends with its object`() {
        let publisher = CombineTypes.ObservableObjectPublisher()
        var count = 0
        do {
            let subscription = publisher.sink { count += 1 }
            publisher.send()
            _ = subscription
        }
        publisher.send()
        #expect(count == 1)
        var list: [CombineTypes.AnyCancellable] = []
        publisher.sink { count += 1 }.store(in: &list)
        publisher.send()
        #expect(count == 2)
        list = []
        publisher.send()
        #expect(count == 2)
    }

    /// A view model as in an app, with the default publisher.
    private final class ShelfModel: CombineTypes.ObservableObject {
        var titles: [String] = [] { willSet { objectWillChange.send() } }
    }

    @Test func `an object without a custom publisher gets one`() {
        let (shelf, other) = (ShelfModel(), ShelfModel())
        var count = 0
        let subscription = shelf.objectWillChange.sink { count += 1 }
        shelf.titles = ["A"]
        other.titles = ["B"]
        #expect(count == 1)
        #expect(shelf.objectWillChange === shelf.objectWillChange)
        #expect(shelf.objectWillChange !== other.objectWillChange)
        subscription.cancel()
        shelf.titles = []
        #expect(count == 1)
    }

    @Test func `publishers of released objects are released`() {
        var published: [ObjectIdentifier] = []
        for _ in 0..<1_000 {
            let shelf = ShelfModel()
            var count = 0
            let subscription = shelf.objectWillChange.sink { count += 1 }
            shelf.titles = ["A"]
            #expect(count == 1)
            withExtendedLifetime(subscription) {}
            published.append(ObjectIdentifier(shelf))
        }
        #expect(PublisherTable.shared.count < 500)
    }

    /// The table removes a publisher. The `deinit` of a subscriber then requests another publisher.
    @Test func `an end of a subscription within the table does not deadlock`() {
        final class Ending {
            let shelf = ShelfModel()
            deinit { shelf.objectWillChange.send() }
        }
        for _ in 0..<300 {
            let shelf = ShelfModel()
            let ending = Ending()
            var kept: [CombineTypes.AnyCancellable] = []
            shelf.objectWillChange.sink { withExtendedLifetime(ending) {} }.store(in: &kept)
            kept.forEach { withExtendedLifetime($0) {} }
        }
        #expect(PublisherTable.shared.count < 500)
    }
}
