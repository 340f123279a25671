import CoreDataStore
import Foundation
import Testing

/// Runs the tests of `StoreTesting` for each built-in kind of store, and for a kind that the tests
/// define.
@Suite struct EveryKindTests {
    enum Subject: String, CaseIterable {
        case sqlite, sqliteInMemory, memory, binary, xml, depot

        var type: String {
            switch self {
            case .sqlite, .sqliteInMemory: NSSQLiteStoreType
            case .memory: NSInMemoryStoreType
            case .binary: NSBinaryStoreType
            case .xml: NSXMLStoreType
            case .depot: DepotKind.type
            }
        }
    }

    private let folder: GraphFolder
    private let address = DepotKind.address()

    init() throws { folder = try GraphFolder() }

    private func testing(_ subject: Subject) -> StoreTesting {
        StoreTesting(type: subject.type) { [folder, address] name in
            switch subject {
            case .sqlite, .binary, .xml: folder.url.appendingPathComponent("\(name).store")
            case .sqliteInMemory, .memory: nil
            case .depot: address.appendingPathComponent(name)
            }
        }
    }

    @Test(arguments: Subject.allCases)
    func `fetches have the results of a store in memory`(_ subject: Subject) throws {
        try testing(subject).fetches()
    }

    @Test(arguments: Subject.allCases)
    func `saved rows are read by others`(_ subject: Subject) throws {
        try testing(subject).saves()
    }

    @Test(arguments: Subject.allCases)
    func `a changed row is a conflict`(_ subject: Subject) throws {
        try testing(subject).conflicts()
    }

    @Test(arguments: Subject.allCases)
    func `equal values of a constraint are a conflict`(_ subject: Subject) throws {
        try testing(subject).constraints()
    }

    @Test(arguments: Subject.allCases)
    func `members and their order are kept`(_ subject: Subject) throws {
        try testing(subject).relationships()
    }

    @Test(arguments: Subject.allCases)
    func `a read-only store is not changed`(_ subject: Subject) throws {
        try testing(subject).readOnly()
    }

    @Test(arguments: Subject.allCases)
    func `history is recorded or absent`(_ subject: Subject) throws {
        try testing(subject).history()
    }

    @Test(arguments: Subject.allCases)
    func `batch requests run or are refused`(_ subject: Subject) throws {
        try testing(subject).batches()
    }

    @Test(arguments: Subject.allCases)
    func `an earlier state is held or refused`(_ subject: Subject) throws {
        try testing(subject).heldState()
    }

    @Test(arguments: Subject.allCases)
    func `a store goes back to a mark or refuses`(_ subject: Subject) throws {
        try testing(subject).rewinding()
    }

    @Test(arguments: Subject.allCases)
    func `metadata is written and read, also of a closed store`(_ subject: Subject) throws {
        try testing(subject).metadata()
    }

    @Test(arguments: Subject.allCases)
    func `a coordinator meets the rows of another one`(_ subject: Subject) throws {
        try testing(subject).coordinators()
    }
}
