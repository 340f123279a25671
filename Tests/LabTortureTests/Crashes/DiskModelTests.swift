import Foundation
import LabBench
import LabFiles
import Testing

@testable import CrashAttacks

/// The simulated disk guarantees only that synced data survives a crash.
struct DiskModelTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder("disk")
        store = folder.path + "/s"
    }

    private func disk(_ operations: [FileOperation]) throws -> DiskModel {
        var disk = try DiskModel(folder: folder.path)
        for operation in operations { disk.apply(operation) }
        return disk
    }

    private func states(_ disk: DiskModel, count: Int = 200) -> Set<[String: [UInt8]]> {
        var random = SplitMix64(seed: 9)
        let all = DiskModel.Survival.allCases
        return Set(
            (0..<count).map { _ in
                disk.cut(
                    names: all[random.below(all.count)], data: all[random.below(all.count)],
                    sector: 512, &random)
            })
    }

    private func bytes(_ value: UInt8, _ count: Int) -> [UInt8] {
        [UInt8](repeating: value, count: count)
    }

    @Test func `a file exists for certain after its folder was synced`() throws {
        let made: [FileOperation] = [
            .create(path: store, inode: 1), .write(inode: 1, offset: 0, bytes: [1, 2]),
            .sync(path: store, inode: 1),
        ]
        #expect(states(try disk(made)) == [[:], ["s": [1, 2]]])
        let certain = try disk(made + [.sync(path: folder.path, inode: 0)])
        #expect(states(certain) == [["s": [1, 2]]])
    }

    @Test func `an unsynced write may be torn, and a later write may exist without it`()
        throws
    {
        try Data(bytes(0, 1_024)).write(to: URL(fileURLWithPath: store))
        let attributes = try FileManager.default.attributesOfItem(atPath: store)
        let inode = try #require(attributes[.systemFileNumber] as? NSNumber).uint64Value
        let found = states(
            try disk([
                .write(inode: inode, offset: 0, bytes: bytes(1, 1_024)),
                .write(inode: inode, offset: 512, bytes: bytes(2, 512)),
            ]))
        let contents = Set(found.compactMap { $0["s"] })
        #expect(contents.contains(bytes(0, 1_024)))
        #expect(contents.contains(bytes(1, 512) + bytes(0, 512)))
        #expect(contents.contains(bytes(0, 512) + bytes(2, 512)))
        #expect(contents.contains(bytes(1, 512) + bytes(2, 512)))
    }

    @Test func `a file that was replaced by name has the old content or the new content`() throws {
        try Data([7]).write(to: URL(fileURLWithPath: store))
        let operations: [FileOperation] = [
            .create(path: store + ".new", inode: 1_000_001),
            .write(inode: 1_000_001, offset: 0, bytes: [8]),
        ]
        let careless = states(try disk(operations + [.rename(from: store + ".new", to: store)]))
        #expect(Set(careless.map { $0["s"] }) == [[7], [8], []])
        let careful = states(
            try disk(
                operations + [
                    .sync(path: store + ".new", inode: 1_000_001),
                    .rename(from: store + ".new", to: store),
                ]))
        #expect(Set(careful.map { $0["s"] }) == [[7], [8]])
    }

    @Test func `a reused inode number means another file`() throws {
        let found = states(
            try disk([
                .create(path: store, inode: 5), .write(inode: 5, offset: 0, bytes: [1]),
                .remove(path: store), .create(path: store, inode: 5),
                .sync(path: store, inode: 5), .sync(path: folder.path, inode: 0),
            ]))
        #expect(found == [["s": []]])
    }
}
