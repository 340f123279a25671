import ContextHistory
import CoreData
import FaultlineRecorder
import Foundation
import LabFiles
import LabRunner
import Testing

/// Tests that every file is either a recording or an error with a position and a remedy.
@Suite struct RecordingFileTests {
    /// The contents of a recording with a lost update.
    private static func contents() throws -> Data {
        let container = try Stacks.make()
        let id = try Stacks.insert("Item", ["amount": 10, "price": 1.5], in: container)
        let recorder = Recorder.start(on: container, Recorder.Options(values: .full))
        let contexts = ["till", "sync"].map { Stacks.context($0, of: container) }
        for context in contexts {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.performAndWait {
                let item = try context.existingObject(with: id)
                let old = item.value(forKey: "amount") as? Int ?? 0
                item.setValue(old + 5, forKey: "amount")
            }
        }
        for context in contexts { try context.performAndWait { try context.save() } }
        return try Data(contentsOf: try recorder.write(to: Stacks.folder()).recording)
    }

    private static func judged(_ data: Data) throws -> RecordingReport {
        let file = Stacks.folder().appendingPathExtension("json")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try Lab.judge(recording: file.path)
    }

    @Test func `a recording survives its file`() throws {
        let data = try Self.contents()
        let file = try JSONDecoder().decode(RecordingFile.self, from: data)
        #expect(file.format == 1)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try encoder.encode(RecordingFile(file.recording())) == data)
        #expect(try Self.judged(data).findings.map(\.name) == ["lost update"])
    }

    @Test(arguments: [
        ("\"format\":1", "\"format\":2", "the format is 2; this tool reads format 1"),
        ("\"values\":[", "\"values\":[0,", "7 values; the entity 'Item' has 6 properties"),
        ("\"Item\"", "\"Thing\"", "the entity 'Item'"),
        ("\"context\":\"sync\"", "\"context\":\"desk\"", "].context: the context 'desk'"),
        ("\"kind\":\"save\"", "\"kind\":\"sell\"", "].kind: "),
        ("\"events\":", "\"deeds\":", "the key 'events' is missing"),
        ("\"version\":1", "\"version\":\"one\"", ".version: "),
        ("{\"contexts\"", "{\"contexts\" ", ""),
    ])
    func `an error names the element`(_ old: String, _ new: String, _ part: String) throws {
        let text = String(decoding: try Self.contents(), as: UTF8.self)
        let place = try #require(text.firstRange(of: old), "\(text)")
        let changed = text.replacingCharacters(in: place, with: new)
        if part.isEmpty {
            #expect(try !Self.judged(Data(changed.utf8)).findings.isEmpty)
            return
        }
        let error = #expect(throws: InputError.self) { try Self.judged(Data(changed.utf8)) }
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        #expect(error?.remedy.isEmpty == false)
    }

    @Test func `an error of the syntax has a line and a column`() throws {
        let text = "{\n  \"format\": 1,\n  \"name\" \"x\"\n}"
        let error = #expect(throws: InputError.self) { try Self.judged(Data(text.utf8)) }
        #expect(error?.line == 3 && error?.column == 10, "\(String(describing: error))")
        let cut = #expect(throws: InputError.self) { try Self.judged(Data("{\n\"a\":".utf8)) }
        #expect(cut?.line == 2 && cut?.column == 5, "\(String(describing: cut))")
    }

    @Test func `a damaged file is an error or a recording`() throws {
        let data = try Self.contents()
        var random = SystemRandomNumberGenerator()
        var errors = 0
        for seed in 0..<600 {
            var bytes = [UInt8](data)
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch seed % 4 {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(place..<min(place + 1 + seed % 40, bytes.count))
            case 2: bytes.insert(contentsOf: bytes[place..<min(place + 30, bytes.count)], at: place)
            default:
                // Changes one digit, so that numbers and versions are wrong.
                let digits = bytes.indices.filter { (48...57).contains(bytes[$0]) }
                bytes[digits.randomElement(using: &random) ?? place] = UInt8(48 + seed % 10)
            }
            do { _ = try Self.judged(Data(bytes)) } catch let error as InputError {
                errors += 1
                #expect(!error.problem.isEmpty && !error.remedy.isEmpty)
            }
        }
        #expect(errors > 100)
    }
}
