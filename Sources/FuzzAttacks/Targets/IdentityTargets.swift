import CoreData
import CoreDataEngine
import CoreDataStore
import Foundation
import LabSchedule

/// The targets that read identifiers as text: object URIs, history tokens, and tokens of schedules.
enum IdentityTargets {
    static let all: [FuzzTargets.Entry] = [
        FuzzTargets.Entry("object-uris", floor: 1_000, most: 600_000) { name in
            let (coordinator, _) = try FuzzLibrary.open(
                try FuzzLibrary.image(tracksHistory: false), tracksHistory: false)
            return FuzzTarget(name, uris) { uri($0, coordinator) }
        },
        FuzzTargets.Entry("schedule-tokens", floor: 1_250, most: 600_000) { name in
            FuzzTarget(name, tokens, run: { token($0) })
        },
        FuzzTargets.Entry("history-tokens", floor: 125, most: 60_000) { name in
            let (coordinator, _) = try FuzzLibrary.open(
                try FuzzLibrary.image(tracksHistory: true), tracksHistory: true)
            return FuzzTarget(name, places) { history($0, coordinator) }
        },
    ]

    private static let uris = TextSource(
        [
            "x-coredata://\(FuzzLibrary.identifier)/Item/p1",
            "x-coredata://\(FuzzLibrary.identifier.lowercased())/Box/p3",
            "x-coredata:///Item/t\(FuzzLibrary.identifier)2",
        ],
        words: [
            "x-coredata://", "/", "//", "Item", "Box", "Owner", "p", "t", "p0", "p-1", "p+1", "p١",
            "p9223372036854775807", "p9223372036854775808", "p281474976710656", "%70", "%00", "%",
            "?", "#", ":80", "@", "[::1]", "file:", "..", "\\", "p1/p1", "p 1", "P1", "p01", "p1e3",
        ])

    private static func uri(
        _ input: [UInt8], _ coordinator: NSPersistentStoreCoordinator
    ) -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        guard let id = coordinator.managedObjectID(for: text) else { return .refused }
        let written = id.uriRepresentation()
        guard coordinator.managedObjectID(forURIRepresentation: written) == id else {
            return .broken("\(text) is an id that is written as \(written), which differs")
        }
        let context = NSManagedObjectContext(.privateQueue)
        do throws(CoreDataError) {
            try context.attach(to: coordinator)
            try context.performAndWait { () throws(CoreDataError) in _ = try context.existing(id) }
        } catch {
            return error.message.isEmpty ? .broken("an error without a message") : .accepted
        }
        return .accepted
    }

    private static let tokens = TextSource(
        [
            "lab1:mb-09-count@1a2b3c4d:policy=object-trump:f1 r1 r2 f2",
            "lab1:a@00000000:-:a.b.~b→view.c", "lab1:a@ffffffff:x=1,y=2:~b->view ~c>d",
        ],
        words: [
            "lab1", "lab2", ":", "::", "@", ".", " ", "~", "->", ">", "→", "-", "=", ",", "\n",
            "\0",
            "1a2b3c4d", "１a2b3c4d", "~->", "~>", "~→",
        ])

    private static func token(_ input: [UInt8]) -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        do throws(ScheduleToken.Malformed) {
            let token = try ScheduleToken(text)
            let again = try? ScheduleToken(token.description)
            return again == token
                ? .accepted : .broken("'\(token)' is read as '\(again?.description ?? "nothing")'")
        } catch {
            guard !error.what.isEmpty, !error.instead.isEmpty else {
                return .broken("an error without advice: \(error)")
            }
            return .refused
        }
    }

    /// The history positions of stores, as text. Archived tokens are not fuzzed, because
    /// Foundation's unarchiver ends the process for some damaged archives.
    private static let places = TextSource(
        [
            "\(FuzzLibrary.identifier)=1", "\(FuzzLibrary.identifier)=2\nB=7",
            "\(FuzzLibrary.identifier.lowercased())=0",
        ], words: ["=", "\n", "-", "0", "1", "9223372036854775807", "-9223372036854775808", "\0"])

    private static func history(
        _ input: [UInt8], _ coordinator: NSPersistentStoreCoordinator
    ) -> FuzzVerdict {
        var numbers: [String: Int64] = [:]
        for line in String(decoding: input, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", omittingEmptySubsequences: false)
            guard let number = parts.last.flatMap({ Int64($0) }) else { return .refused }
            numbers[parts.dropLast().joined(separator: "=")] = number
        }
        let token = NSPersistentHistoryToken(numbers: numbers)
        guard
            let data = try? NSKeyedArchiver.archivedData(
                withRootObject: token, requiringSecureCoding: true),
            let again = try? NSKeyedUnarchiver.unarchivedObject(
                ofClass: NSPersistentHistoryToken.self, from: data), again == token
        else { return .broken("\(token) is not read as it was written") }
        let context = NSManagedObjectContext(.privateQueue)
        do throws(CoreDataError) { try context.attach(to: coordinator) } catch { return .refused }
        return context.performAndWait { () -> FuzzVerdict in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            return (try? context.execute(request)) == nil ? .refused : .accepted
        }
    }
}
