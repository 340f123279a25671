import CoreData
import Headlines
import Testing

@MainActor @Suite struct HeadlinesTests {
    private let feeds = [
        "north": ["Rain", "Snow"], "south": ["Sun", "Rain"], "east": ["Wind", "Rain"],
    ]

    @Test func `feeds imported at once keep one row for each headline`() async throws {
        let desk = try NewsDesk()
        let ids = try await desk.importAll(feeds)
        #expect(ids.count >= 4)
        let list = try HeadlineList(desk)
        #expect(list.texts == ["Rain", "Snow", "Sun", "Wind"])
    }

    @Test func `a list on the main actor follows background saves`() async throws {
        let desk = try NewsDesk()
        let list = try HeadlineList(desk)
        _ = try await desk.importAll(["north": ["Rain"]])
        while list.texts.isEmpty { await Task.yield() }
        #expect(list.texts == ["Rain"])
        #expect(list.refreshes > 0)
    }

    @Test func `no count of many tasks is lost`() async throws {
        let desk = try NewsDesk()
        let id = try #require(try await desk.importAll(["north": ["Rain"]]).first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await desk.markSeen(id) } }
            try await group.waitForAll()
        }
        let seen = try await desk.container.performBackgroundTask { context in
            try (context.existingObject(with: id) as? Headline)?.timesSeen
        }
        #expect(seen == 21)
    }
}
