import CoreDataEngine
import CoreDataStore
import Foundation
import Testing

@Suite struct UndoManagerTests {
    private final class Page {
        var text = ""

        func set(_ new: String, _ manager: UndoManager) {
            let old = text
            manager.registerUndo(withTarget: self) { $0.set(old, manager) }
            text = new
        }
    }

    @Test func `the actions of one event are undone together, and redone`() {
        let (manager, page) = (UndoManager(), Page())
        page.set("a", manager)
        page.set("b", manager)
        #expect(manager.groupingLevel == 1 && manager.canUndo)
        manager.undo()
        #expect(page.text == "" && manager.canRedo && !manager.canUndo)
        manager.redo()
        #expect(page.text == "b" && !manager.canRedo && manager.canUndo)
        manager.undo()
        page.set("c", manager)
        #expect(!manager.canRedo)
    }

    @Test func `groups nest, and a nested group can be undone separately`() {
        let (manager, page) = (UndoManager(), Page())
        manager.groupsByEvent = false
        manager.beginUndoGrouping()
        page.set("a", manager)
        manager.beginUndoGrouping()
        page.set("b", manager)
        manager.endUndoGrouping()
        manager.undoNestedGroup()
        #expect(page.text == "a" && manager.redoCount == 1)
        page.set("c", manager)
        manager.endUndoGrouping()
        #expect(manager.groupingLevel == 0 && manager.undoCount == 1)
        manager.undo()
        #expect(page.text == "")
    }

    @Test func `undo with two open groups, an end without a begin, and no group are errors`() {
        let (manager, page) = (UndoManager(), Page())
        #expect(throws: CoreDataError.self) { try manager.closeGroup() }
        manager.groupsByEvent = false
        #expect(throws: CoreDataError.self) { try manager.register(page) { _ in } }
        manager.beginUndoGrouping()
        manager.beginUndoGrouping()
        #expect(throws: CoreDataError.self) { try manager.undoLast() }
    }

    @Test func `the manager keeps at most the set number of groups`() {
        let (manager, page) = (UndoManager(), Page())
        manager.groupsByEvent = false
        for text in ["a", "b", "c"] {
            manager.beginUndoGrouping()
            page.set(text, manager)
            manager.endUndoGrouping()
        }
        manager.levelsOfUndo = 2
        #expect(manager.undoCount == 2)
        for _ in 0..<3 { manager.undo() }
        #expect(page.text == "a")
    }

    @Test func `a name stays with its action from undo to redo`() {
        let (manager, page) = (UndoManager(), Page())
        page.set("a", manager)
        manager.setActionName("Typing")
        #expect(manager.undoActionName == "Typing" && manager.undoMenuItemTitle == "Undo Typing")
        manager.undo()
        #expect(manager.undoActionName == "" && manager.redoMenuItemTitle == "Redo Typing")
        manager.redo()
        #expect(manager.undoActionName == "Typing")
    }

    @Test func `actions of a target can be removed, and a target is not retained`() {
        let (manager, page) = (UndoManager(), Page())
        var other: Page? = Page()
        weak let gone = other
        page.set("a", manager)
        other?.set("b", manager)
        other = nil
        #expect(gone == nil)
        manager.removeAllActions(withTarget: page)
        manager.undo()
        #expect(page.text == "a")
        page.set("c", manager)
        manager.removeAllActions()
        #expect(!manager.canUndo)
    }

    @Test func `nothing is registered while registration is disabled`() {
        let (manager, page) = (UndoManager(), Page())
        manager.disableUndoRegistration()
        page.set("a", manager)
        #expect(!manager.canUndo && !manager.isUndoRegistrationEnabled)
        manager.enableUndoRegistration()
        page.set("b", manager)
        manager.undo()
        #expect(page.text == "a")
    }
}
