import CoreDataEngine
import CoreDataModel
import Foundation
import Testing

@Suite struct DroppedInsertTests {
    // Proves S1.6-1
    @Test(arguments: [NSDeleteRule.noActionDeleteRule, .denyDeleteRule], [true, false])
    func `a new object that is deleted leaves no key in the rows that refer to it`(
        _ rule: NSDeleteRule, _ isProcessed: Bool
    ) throws {
        let stack = try GraphStack(GraphModels.rules(rule, .nullifyDeleteRule))
        let context = stack.context()
        try context.on {
            let part = context.make("Part", ["name": "p"])
            try context.save()
            let whole = context.make("Whole")
            part.setValue(whole, forKey: "whole")
            context.make("Part", ["name": "q", "whole": whole])
            if isProcessed { context.processPendingChanges() }
            context.delete(whole)
            try context.save()
            #expect(part.object("whole") == nil)
            context.reset()
            #expect(try context.all("Whole").isEmpty && context.all("Part").count == 2)
            #expect(try context.all("Part", "whole != nil").isEmpty)
        }
    }

    @Test func `a deleted new object of a nested context leaves no key either`() throws {
        let stack = try GraphStack(
            GraphModels.rules(.noActionDeleteRule, .nullifyDeleteRule))
        let parent = stack.context()
        let child = parent.child()
        let id = try parent.on {
            let part = parent.make("Part", ["name": "p"])
            try parent.save()
            return part.objectID
        }
        try child.on {
            let whole = child.make("Whole")
            child.object(with: id).setValue(whole, forKey: "whole")
            child.processPendingChanges()
            child.delete(whole)
            try child.save()
        }
        try parent.on {
            try parent.save()
            parent.reset()
            #expect(try parent.all("Part", "whole != nil").isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a join table has no pair with a deleted new object`(_ isOrdered: Bool) throws {
        let book = GraphModels.entity("Book", [GraphModels.text("name")])
        let tag = GraphModels.entity("Tag", [GraphModels.text("name")])
        GraphModels.relate(
            GraphModels.End(
                owner: book, name: "tags", toMany: true, ordered: isOrdered,
                rule: .noActionDeleteRule),
            GraphModels.End(owner: tag, name: "books", toMany: true, rule: .noActionDeleteRule))
        let context = try GraphStack(GraphModels.model([book, tag])).context()
        try context.on {
            let book = context.make("Book")
            try context.save()
            let (dropped, kept) = (context.make("Tag"), context.make("Tag", ["name": "kept"]))
            book.setValue([dropped, kept], forKey: "tags")
            context.delete(dropped)
            try context.save()
            context.reset()
            #expect(try context.all("Book", "tags.@count == 1").count == 1)
            #expect(try context.all("Book").first?.names("tags") == ["kept"])
        }
    }

    @Test(arguments: [true, false])
    func `a saved object that was deleted and inserted again is an updated one`(
        _ isProcessed: Bool
    ) throws {
        let stack = try GraphStack(GraphModels.moody())
        let context = stack.context()
        try context.on {
            let country = context.make("Country", ["code": "A", "name": "old"])
            try context.save()
            country.setValue("new", forKey: "name")
            context.delete(country)
            if isProcessed { context.processPendingChanges() }
            #expect(country.isDeleted && !country.isUpdated && context.updatedObjects.isEmpty)
            context.insert(country)
            #expect(country.isUpdated && !country.isDeleted && !country.isInserted)
            #expect(context.updatedObjects == [country] && context.deletedObjects.isEmpty)
            try context.save()
            #expect(!context.hasChanges)
            context.reset()
            #expect(try context.all("Country").map { $0.text("name") } == ["new"])
        }
    }
}
