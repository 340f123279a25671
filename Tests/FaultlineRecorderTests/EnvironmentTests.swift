import CoreData
import Foundation
import Testing

/// These programs do not call the recorder.
@Suite struct EnvironmentTests {
    @Test func `a program that was started with FAULTLINE_RECORD is recorded to its end`()
        async throws
    {
        let folder = Stacks.folder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            setenv("FAULTLINE_RECORD", path, 1)
            setenv("FAULTLINE_RECORD_VALUES", "full", 1)
            let container = try Stacks.make()
            for name in ["one", "two"] {
                let context = Stacks.context(name, of: container)
                try context.performAndWait {
                    let item = NSEntityDescription.insertNewObject(
                        forEntityName: "Item", into: context)
                    item.setValue("code of \(name)", forKey: "code")
                    try context.save()
                }
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files.count == 3)
        #expect(files.first?.hasSuffix("-1.json") == true)
        #expect(files[1].hasSuffix("-1.txt"))
        let file = try #require(files.last)
        let text = try String(
            contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        #expect(text.contains("The program has ended."))
        #expect(text.contains("code of two"))
        #expect(Explored.recorded(try Explored.result(of: text)) > 0)
    }
}
