import BenchResults
import Foundation
import LabBench
import LabFiles
import Testing

/// Tests of workload files with a user's model.
@Suite struct OwnModelTests {
    private let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Folder" representedClassName="OwnFolder">
                <attribute name="name" attributeType="String"/>
                <relationship name="notes" toMany="YES" deletionRule="Cascade"
                    destinationEntity="Note" inverseName="folder" inverseEntity="Note"/>
                <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Folder" inverseName="children" inverseEntity="Folder"/>
                <relationship name="children" optional="YES" toMany="YES" deletionRule="Nullify"
                    destinationEntity="Folder" inverseName="parent" inverseEntity="Folder"/>
            </entity>
            <entity name="Note" representedClassName="OwnNote">
                <attribute name="title" attributeType="String"/>
                <attribute name="stars" attributeType="Integer 16" usesScalarValueType="YES"/>
                <attribute name="modified" optional="YES" attributeType="Date"/>
                <attribute name="token" optional="YES" attributeType="UUID"/>
                <relationship name="folder" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Folder" inverseName="notes" inverseEntity="Folder"/>
                <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify"
                    destinationEntity="Tag" inverseName="notes" inverseEntity="Tag"/>
            </entity>
            <entity name="Tag" representedClassName="OwnTag">
                <attribute name="word" optional="YES" attributeType="String"/>
                <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify"
                    destinationEntity="Note" inverseName="tags" inverseEntity="Note"/>
            </entity>
        </model>
        """

    private let text = """
        name: open-folder
        about: A sentence.
        operation: fetch
        model: Notes.xcdatamodel
        objects: {Folder: 3, Note: 40, Tag: 5}
        fetch:
          entity: Note
          predicate: stars >= 0
          sort: [modified desc, title]
          paths: [folder, tags]
        parameters:
          batch: [0, 20]
          prefetch: [none, paths]
        presets: {smoke: {Note: 40}}
        """

    private func folder(_ text: String) throws -> Folder {
        let folder = try Folder(text)
        let model = folder.path + "/Notes.xcdatamodel"
        try FileManager.default.createDirectory(
            atPath: model, withIntermediateDirectories: true)
        try Data(self.model.utf8).write(to: URL(fileURLWithPath: model + "/contents"))
        return folder
    }

    private func run(_ text: String, overrides: [String] = []) throws -> BenchResult {
        let folder = try folder(text)
        let options = BenchOptions(
            preset: BenchPreset(name: "smoke", rounds: 1, runs: 1, warmUps: 0),
            overrides: try overrides.map { try ParameterOverride($0) },
            launcher: InProcessLauncher(), allowsDebugBuild: true)
        let report = try BenchSuite.run([folder.path + "/tiny.yaml"], options: options)
        return try #require(report.results.first)
    }

    @Test func `a fetch on a custom model is swept and counted like every other`() throws {
        let result = try run(text)
        #expect(result.parameterText == "seed=1 Folder=3 Note=40 Tag=5")
        let selects = result.strategies.map { $0.counts.statements["select"] ?? 0 }
        // Without prefetching, there is one statement for each folder, for the members of each
        // note, and for each tag. With prefetching, there is one for all folders, one for all
        // members and one for all tags.
        #expect(result.strategies.map(\.name).first == "batch=0 prefetch=none")
        #expect(selects[0] == 1 + 3 + 40 + 5)
        #expect(selects[1] == 1 + 3)
        #expect(Set(result.strategies.map(\.checksum)).count == 1)
        #expect(result.strategies.allSatisfy { $0.twin == nil && $0.time != nil })
    }

    @Test func `options of the command line override the numbers of objects`() throws {
        let result = try run(text, overrides: ["Note=7"])
        #expect(result.strategies[0].counts.rows >= 7)
        #expect(result.strategies[0].checksum != (try run(text).strategies[0].checksum))
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        var from: String
        var to: String
        var says: String
        var testDescription: String { to }
    }

    @Test(arguments: [
        Mistake(
            from: "model: Notes.xcdatamodel", to: "model: Nots.xcdatamodel",
            says: "tiny.yaml:4:8: the model cannot be used"),
        Mistake(
            from: "entity: Note", to: "entity: Noet",
            says: "tiny.yaml:7:11: the entity 'Noet' does not exist; "
                + "write one of: Folder, Note, Tag"),
        Mistake(
            from: "stars >= 0", to: "stars >=", says: "tiny.yaml:8:"),
        Mistake(
            from: "stars >= 0", to: "sters >= 0",
            says: "tiny.yaml:8:14: the engine refuses the fetch"),
        Mistake(
            from: "paths: [folder, tags]", to: "paths: [folder.tags]",
            says: "tiny.yaml:10:11: 'tags' in 'folder.tags' is not a relationship of Folder; "
                + "write one of: children, notes, parent"),
        Mistake(
            from: "operation: fetch", to: "operation: count",
            says: "tiny.yaml:4:8: `model` does not belong to `count`"),
        Mistake(
            from: "Note: 40, Tag", to: "Note: many, Tag",
            says: "tiny.yaml:5:28: `many` is not a number of objects"),
        Mistake(
            from: "sort: [modified desc, title]", to: "sort: [modified down]",
            says: "tiny.yaml:9:10: 'modified down' is not a sort key"),
        Mistake(
            from: "sort: [modified desc, title]", to: "sort: [title, tags.word]",
            says: "tiny.yaml:9:17: Note.tags is to-many"),
    ])
    func `a mistake in a file about a custom model has its location`(mistake: Mistake) throws {
        let folder = try folder(text.replacingOccurrences(of: mistake.from, with: mistake.to))
        let error = #expect(throws: InputError.self) {
            try WorkloadFile.read(folder.path + "/tiny.yaml")
        }
        #expect(error?.description.contains(mistake.says) == true, "\(error?.description ?? "")")
    }
}
