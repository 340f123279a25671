import CoreData
import Foundation
import LabResults
import LabRunner
import Testing

/// The lab writes a failing schedule of explored code to a scenario file.
@Suite struct WitnessRecordingTests {
    private func tills(_ folder: URL) throws {
        // The time budget is long, so that only the number of schedules limits the exploration on a
        // busy machine.
        let options = Lab.Options(timeBudget: .seconds(900), cures: false, report: folder)
        try Lab.explore("two tills", options) { lab in
            let stack = try lab.stack(model: Stacks.model)
            let id = try lab.setup {
                let context = stack.newBackgroundContext()
                return try context.performAndWait {
                    let item = NSEntityDescription.insertNewObject(
                        forEntityName: "Item", into: context)
                    item.setValue(10, forKey: "amount")
                    try context.save()
                    return item.objectID
                }
            }
            for (name, amount) in [("till", 5), ("sync", 7)] {
                lab.session(name) {
                    let context = Stacks.context(name, of: stack)
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    try context.performAndWait {
                        let item = try context.existingObject(with: id)
                        let old = item.value(forKey: "amount") as? Int ?? 0
                        item.setValue(old + amount, forKey: "amount")
                        try context.save()
                    }
                }
            }
            lab.finally {
                let amount =
                    try stack.viewContext.existingObject(with: id)
                    .value(forKey: "amount") as? Int
                #expect(amount == 22)
            }
        }
    }

    @Test func `the recorded file of a witness reproduces the loss`() throws {
        let folder = Stacks.folder()
        let failure = #expect(throws: CodeFailure.self) { try tills(folder) }
        let path = try #require(failure?.scenario)
        let text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        #expect(text.contains("set item1.amount += 5"))
        #expect(text.contains("set item1.amount += 7"))
        // The lab reads the state of the store. These reads are not recorded as steps.
        #expect(!text.contains("state "))
        let result = try Explored.result(of: text)
        #expect(Explored.recorded(result) > 0, "\(text)")
        #expect(result.findings.contains { $0.name == "lost update" })
    }
}
