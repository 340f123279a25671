import Foundation
import LabBench

/// The state of a disk while a victim writes. Contents of the disk after a power cut are drawn from
/// this state.
///
/// Data survive a power cut if their file was synced after they were written. Changes of names
/// (creating, renaming, removing) survive if the folder was synced. They reach the disk in order,
/// as in journaling file systems. If data are not synced, each of their sectors may or may not have
/// been written, independently of other sectors.
struct DiskModel {
    /// The part of the unsynced changes that survives a power cut.
    enum Survival: CaseIterable {
        case nothing, everything, aPrefix, someSectors, aTornEnd
    }

    private enum Change {
        case bytes(offset: Int, [UInt8])
        case size(Int)
        case sizeAtLeast(Int)
    }

    private struct File {
        var certain: [UInt8] = []
        var pending: [Change] = []
    }

    private enum NameChange {
        case add(String, file: Int)
        case remove(String)
        case rename(String, String)
    }

    private let folder: String
    private var files: [File] = []
    /// The current file of each inode number. A number can be reused after its file was removed.
    private var filesByInode: [UInt64: Int] = [:]
    private var certainNames: [String: Int] = [:]
    private var pendingNames: [NameChange] = []
    private var folders: Set<String>

    init(folder: String) throws {
        self.folder = folder
        folders = [folder]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let path = folder + "/" + name
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                isFolder.boolValue
            {
                folders.insert(path)
                continue
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard let inode = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value,
                let content = FileManager.default.contents(atPath: path)
            else { continue }
            filesByInode[inode] = files.count
            certainNames[path] = files.count
            files.append(File(certain: [UInt8](content)))
        }
    }

    // MARK: Writing

    mutating func apply(_ operation: FileOperation) {
        switch operation {
        case .create(let path, let inode):
            filesByInode[inode] = files.count
            if !path.isEmpty { pendingNames.append(.add(path, file: files.count)) }
            files.append(File())
        case .link(let path, let inode):
            if let file = filesByInode[inode] { pendingNames.append(.add(path, file: file)) }
        case .write(let inode, let offset, let bytes):
            change(inode, .bytes(offset: offset, bytes))
        case .resize(let inode, let size): change(inode, .size(size))
        case .extend(let inode, let size): change(inode, .sizeAtLeast(size))
        case .sync(let path, let inode): sync(path, inode)
        case .remove(let path): pendingNames.append(.remove(path))
        case .rename(let from, let to): pendingNames.append(.rename(from, to))
        case .makeFolder(let path): folders.insert(path)
        case .say: break
        }
    }

    private mutating func change(_ inode: UInt64, _ change: Change) {
        guard let file = filesByInode[inode] else { return }
        files[file].pending.append(change)
    }

    private mutating func sync(_ path: String, _ inode: UInt64) {
        if folders.contains(path) {
            for change in pendingNames { Self.apply(change, to: &certainNames) }
            pendingNames = []
        } else if let file = filesByInode[inode] {
            for change in files[file].pending { Self.apply(change, to: &files[file].certain) }
            files[file].pending = []
        }
    }

    private static func apply(_ change: NameChange, to names: inout [String: Int]) {
        switch change {
        case .add(let path, let file): names[path] = file
        case .remove(let path): names[path] = nil
        case .rename(let from, let to):
            guard let file = names.removeValue(forKey: from) else { return }
            names[to] = file
        }
    }

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .bytes(let offset, let bytes):
            grow(&content, offset + bytes.count)
            content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        case .size(let size):
            if size < content.count { content.removeLast(content.count - size) }
            grow(&content, size)
        case .sizeAtLeast(let size): grow(&content, size)
        }
    }

    private static func grow(_ content: inout [UInt8], _ size: Int) {
        guard content.count < size else { return }
        content.append(contentsOf: repeatElement(0, count: size - content.count))
    }

    // MARK: Power cuts

    /// The files after one power cut, by their paths in the folder.
    func cut(
        names survivalOfNames: Survival, data survival: Survival, sector: Int,
        _ random: inout SplitMix64
    ) -> [String: [UInt8]] {
        var names = certainNames
        let kept: Int
        switch survivalOfNames {
        case .nothing: kept = 0
        case .everything: kept = pendingNames.count
        default: kept = random.below(pendingNames.count + 1)
        }
        for change in pendingNames.prefix(kept) { Self.apply(change, to: &names) }
        var result: [String: [UInt8]] = [:]
        // The order is fixed, so the same random numbers yield the same state.
        for (path, file) in names.sorted(by: { $0.key < $1.key }) where path.hasPrefix(folder) {
            var content = files[file].certain
            let pending = Self.survivors(files[file].pending, survival, sector, &random)
            for change in pending { Self.apply(change, to: &content) }
            result[String(path.dropFirst(folder.count + 1))] = content
        }
        return result
    }

    private static func survivors(
        _ pending: [Change], _ survival: Survival, _ sector: Int, _ random: inout SplitMix64
    ) -> [Change] {
        switch survival {
        case .nothing: return []
        case .everything: return pending
        case .aPrefix: return Array(pending.prefix(random.below(pending.count + 1)))
        case .someSectors:
            let chance = 1 + random.below(9)
            return pending.flatMap { sectors($0, sector) }.filter { _ in
                random.below(10) < chance
            }
        case .aTornEnd:
            let all = pending.prefix(random.below(pending.count + 1))
            guard let last = all.last else { return [] }
            let torn = sectors(last, sector)
            return all.dropLast() + torn.prefix(random.below(torn.count + 1))
        }
    }

    /// Splits a write at sector boundaries. The disk writes each sector atomically.
    private static func sectors(_ change: Change, _ sector: Int) -> [Change] {
        guard case .bytes(let offset, let bytes) = change else { return [change] }
        var parts: [Change] = []
        var place = 0
        while place < bytes.count {
            let end = min(bytes.count, ((offset + place) / sector + 1) * sector - offset)
            parts.append(.bytes(offset: offset + place, Array(bytes[place..<end])))
            place = end
        }
        return parts
    }
}
