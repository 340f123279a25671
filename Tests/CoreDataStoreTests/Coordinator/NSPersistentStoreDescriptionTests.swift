import CoreDataStore
import Foundation
import Testing

struct NSPersistentStoreDescriptionTests {
    @Test func `a new description has Core Data's defaults`() {
        let description = NSPersistentStoreDescription()
        #expect(description.url == URL(fileURLWithPath: "/dev/null"))
        #expect(description.type == NSSQLiteStoreType)
        #expect(description.configuration == nil)
        #expect(!description.isReadOnly && !description.shouldAddStoreAsynchronously)
        #expect(description.shouldMigrateStoreAutomatically)
        #expect(description.shouldInferMappingModelAutomatically)
        #expect(description.timeout == 240)
        #expect(description.sqlitePragmas.isEmpty)
    }

    @Test func `properties and options are two views of the same settings`() {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/a.sqlite"))
        description.isReadOnly = true
        description.timeout = 5
        description.setOption(
            NSNumber(value: false), forKey: NSMigratePersistentStoresAutomaticallyOption)
        #expect(description.options[NSReadOnlyPersistentStoreOption] == NSNumber(value: true))
        #expect(description.options[NSPersistentStoreTimeoutOption] == NSNumber(value: 5.0))
        #expect(!description.shouldMigrateStoreAutomatically)
        description.setOption(nil, forKey: NSReadOnlyPersistentStoreOption)
        #expect(!description.isReadOnly)
    }

    @Test func `pragmas are kept among the options until the last is removed`() {
        let description = NSPersistentStoreDescription()
        description.setValue(NSString(string: "DELETE"), forPragmaNamed: "journal_mode")
        #expect(description.sqlitePragmas == ["journal_mode": NSString(string: "DELETE")])
        #expect(description.options[NSSQLitePragmasOption] is NSDictionary)
        description.setValue(nil, forPragmaNamed: "journal_mode")
        #expect(description.options[NSSQLitePragmasOption] == nil)
    }

    @Test func `a copy can be changed without touching the description`() throws {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/a.sqlite"))
        description.isReadOnly = true
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        copy.isReadOnly = false
        copy.configuration = "Users"
        #expect(description.isReadOnly && description.configuration == nil)
        #expect(copy.url == description.url)
    }
}
