import CoreData
import CoreDataEngine
import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import Foundation

/// The targets that read stores of every kind, as files or as databases in memory.
enum StoreTargets {
    static let all: [FuzzTargets.Entry] = [
        FuzzTargets.Entry("store-xml", floor: 75, most: 60_000) { name in
            let seed = try whole(NSXMLStoreType)
            let source = TextSource(
                [String(decoding: seed, as: UTF8.self)], words: xmlWords)
            return try wholeTarget(name, NSXMLStoreType, source)
        },
        FuzzTargets.Entry("store-binary", floor: 75, most: 60_000) { name in
            try wholeTarget(
                name, NSBinaryStoreType, ByteSource(seeds: [try whole(NSBinaryStoreType)]))
        },
        FuzzTargets.Entry("store-sqlite", floor: 40, most: 80_000) { name in
            let image = try FuzzLibrary.image(tracksHistory: true)
            return FuzzTarget(name, RecipeSource(imageSize: image.count)) { sqlite($0, image) }
        },
        FuzzTargets.Entry("store-sqlite-file", floor: 20, most: 20_000) { name in
            let image = try FuzzLibrary.image(tracksHistory: true)
            let scratch = try ScratchFile("store.sqlite")
            return FuzzTarget(name, RecipeSource(imageSize: image.count)) { input in
                sqliteFile(input, image, scratch)
            }
        },
        FuzzTargets.Entry("store-metadata", floor: 40, most: 80_000) { name in
            let image = try FuzzLibrary.image(tracksHistory: false)
            return FuzzTarget(name, PropertyListSource([try plist(of: image)])) { input in
                metadata(input, image)
            }
        },
    ]

    private static let xmlWords = [
        "<object type=\"ITEM\" id=\"z101\">", "</object>",
        "<attribute name=\"size\" type=\"int64\">",
        "</attribute>", "type=\"string\"", "type=\"int16\"", "type=\"bool\"", "type=\"date\"",
        "type=\"decimal\"", "type=\"binary\"", "type=\"uuid\"", "type=\"uri\"", "type=\"double\"",
        "type=\"float\"", "name=\"name\"", "name=\"owner\"", "idrefs=\"z101 z102\"",
        "idrefs=\"z0\"",
        "idrefs=\"\"", "<relationship name=\"owner\" type=\"0/1\" destination=\"OWNER\"", "/>",
        "<database>", "</database>", "<databaseInfo>", "<metadata>", "</metadata>", "<plist>",
        "&#0;",
        "&amp;", "<![CDATA[", "]]>", "<!--", "-->", "id=\"z9223372036854775807\"", "id=\"101\"",
        "type=\"BOX\"", "<nextObjectID>", "<UUID>", "true", "1",
    ]

    // MARK: Whole files

    private static func open(
        _ type: String, _ url: URL
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        let coordinator = try FuzzLibrary.coordinator()
        // A store with a history is read-only unless the history is continued.
        let options = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        _ = try coordinator.add(
            type: type, configuration: nil, url: url,
            options: type == NSSQLiteStoreType ? options : nil)
        return coordinator
    }

    private static func close(_ coordinator: NSPersistentStoreCoordinator) {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    private static func whole(_ type: String) throws -> [UInt8] {
        let scratch = try ScratchFile("seed.store")
        let coordinator = try open(type, scratch.url)
        defer { close(coordinator) }
        try FuzzLibrary.fill(coordinator)
        return [UInt8](try Data(contentsOf: scratch.url))
    }

    private static func wholeTarget(
        _ name: String, _ type: String, _ source: any FuzzSource
    ) throws -> FuzzTarget {
        let scratch = try ScratchFile("input.store")
        return FuzzTarget(name, source) { input in
            scratch.write(input)
            let verdict = file(type, scratch.url)
            _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: nil, at: scratch.url)
            return verdict
        }
    }

    /// Reads, changes and saves a store. Then compares its contents with those that another
    /// coordinator reads.
    private static func file(_ type: String, _ url: URL) -> FuzzVerdict {
        do throws(CoreDataError) {
            let first = try open(type, url)
            defer { close(first) }
            _ = try StoreReading(coordinator: first).content()
            try StoreReading(coordinator: first).change()
            let content = try StoreReading(coordinator: first).content()
            close(first)
            do throws(CoreDataError) {
                let second = try open(type, url)
                defer { close(second) }
                return compared(content, try StoreReading(coordinator: second).content())
            } catch {
                return .broken("the saved store cannot be read: \(error.message)")
            }
        } catch {
            return refused(error)
        }
    }

    private static func compared(
        _ content: StoreReading.Content, _ again: StoreReading.Content
    ) -> FuzzVerdict {
        if content == again { return .accepted }
        let keys = Set(content.keys).union(again.keys).sorted()
        let other = keys.first { content[$0] != again[$0] } ?? ""
        return .broken(
            "saved and read again, object \(other) is \(again[other] ?? []), not "
                + "\(content[other] ?? [])")
    }

    private static func refused(_ error: CoreDataError) -> FuzzVerdict {
        error.message.isEmpty ? .broken("an error without a message: \(error.code)") : .refused
    }

    // MARK: SQLite

    private static func sqlite(_ input: [UInt8], _ seed: [UInt8]) -> FuzzVerdict {
        guard let image = try? StoreRecipe(input).applied(to: seed) else { return .refused }
        return opened(image)
    }

    private static func opened(_ image: [UInt8]) -> FuzzVerdict {
        do throws(CoreDataError) {
            let (coordinator, store) = try FuzzLibrary.open(image, tracksHistory: true)
            defer { close(coordinator) }
            let reading = StoreReading(coordinator: coordinator)
            try? reading.history()
            _ = try reading.content()
            try reading.change()
            try? reading.history()
            let content = try reading.content()
            let saved = try store.mark().image ?? []
            do throws(CoreDataError) {
                let (second, _) = try FuzzLibrary.open(saved, tracksHistory: true)
                defer { close(second) }
                return compared(content, try StoreReading(coordinator: second).content())
            } catch {
                // This can be the first read of a page that the input damaged.
                if error.code == .fileReadCorrupt { return .refused }
                return .broken("the saved store cannot be read: \(error.message)")
            }
        } catch {
            return refused(error)
        }
    }

    private static func sqliteFile(
        _ input: [UInt8], _ seed: [UInt8], _ scratch: ScratchFile
    ) -> FuzzVerdict {
        guard let image = try? StoreRecipe(input).applied(to: seed) else { return .refused }
        for suffix in ["-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: scratch.url.path + suffix)
        }
        scratch.write(image)
        _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: nil, at: scratch.url)
        return file(NSSQLiteStoreType, scratch.url)
    }

    // MARK: Metadata

    private static func plist(of image: [UInt8]) throws -> [UInt8] {
        let connection = try Connection(.memory)
        try connection.replace(with: image)
        let text = try connection.firstText("SELECT hex(Z_PLIST) FROM Z_METADATA") ?? ""
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
            UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
        }
    }

    private static func metadata(_ input: [UInt8], _ seed: [UInt8]) -> FuzzVerdict {
        let digits = input.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let recipe = "sql UPDATE Z_METADATA SET Z_PLIST = x'\(digits)'"
        guard let image = try? StoreRecipe(Array(recipe.utf8)).applied(to: seed) else {
            return .refused
        }
        return opened(image)
    }
}
