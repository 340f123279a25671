import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import Testing

/// `objectWillChange` of managed objects.
@Suite struct ObjectWillChangeTests {
    @Test func `it comes before each change of a modelled property`() throws {
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

    @Test func `there is one publisher for each object, which generic code can ask`() throws {
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
}
