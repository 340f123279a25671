import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import Foundation
import LabFiles

/// Describes a store for the command `store`: its metadata, its model, its rows and its integrity.
/// Reads a copy of the store.
package struct StoreDescriber {
    private let path: String

    package init(path: String) { self.path = path }

    /// - Throws: an error if the store does not exist or cannot be copied.
    package func text() throws(InputErrors) -> String {
        let scratch: TemporaryFolder
        do throws(FileProblem) { scratch = try TemporaryFolder("store") } catch {
            throw InputErrors([
                InputError(
                    file: TemporaryFolder.base,
                    problem: "the store cannot be copied here (\(error.what))",
                    remedy: error.instead)
            ])
        }
        defer { scratch.remove() }
        let copy = scratch.path + "/store.sqlite"
        try StoreSnapshot(of: path, at: copy).make()
        do { return try describe(copy) } catch {
            throw InputErrors([
                InputError(
                    file: path, problem: "the store cannot be read (\(error))",
                    remedy: "name the .sqlite file of an app")
            ])
        }
    }

    private func describe(_ copy: String) throws -> String {
        let inspection = try StoreInspection.read(copy)
        let connection = try Connection(.file(copy), options: Connection.Options())
        var lines = ["identifier: \(inspection.metadata["NSStoreUUID"] ?? "none")"]
        if let hashes = inspection.metadata[VersionDigest.hashesKey] as? [String: Data] {
            lines.append(
                "entities in the metadata: \(hashes.keys.sorted().joined(separator: ", "))")
        }
        lines.append(
            inspection.cachedModel.map {
                "model in the store: \($0.entities.count) entities"
            } ?? "model in the store: \(inspection.cacheFailure ?? "none"); without one, its tables"
                + " define entities and columns")
        lines += try rows(connection)
        if let transactions = try count("ATRANSACTION", connection) {
            lines.append(
                "history: \(transactions) transactions,"
                    + " \(try count("ACHANGE", connection) ?? "0") changes")
        }
        let pages = try connection.firstText("PRAGMA page_count") ?? "?"
        let size = try connection.firstText("PRAGMA page_size") ?? "?"
        lines.append("size: \(pages) pages of \(size) bytes")
        lines.append(
            "integrity: \(try connection.firstText("PRAGMA integrity_check") ?? "no answer")")
        return lines.joined(separator: "\n") + "\n"
    }

    private func rows(_ connection: Connection) throws -> [String] {
        let statement = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z[A-Z]*'"
                + " ORDER BY name")
        var tables: [String] = []
        while try statement.step() { tables.append(statement.text(0)) }
        statement.finish()
        return try tables.map { "\($0): \(try count($0, connection) ?? "?") rows" }
    }

    /// The number of rows in the table; nil if the table does not exist.
    private func count(_ table: String, _ connection: Connection) throws -> String? {
        let exists = try connection.firstText(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(table)'")
        guard exists != nil else { return nil }
        return try connection.firstText(
            "SELECT COUNT(*) FROM \"\(table.replacing("\"", with: "\"\""))\"")
    }
}
