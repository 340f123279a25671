import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

/// The SQL of migrations on a server, whose columns have types.
struct ServerMigrationDialect: MigrationDialect {
    var rows: RowNames { ServerNames.rows }
    var insertUnlessStored: (verb: String, clause: String) {
        PostgreSQLDialect().insertUnlessStored
    }

    // MARK: Literals

    func literal(_ value: Value, in attribute: ValueSlot) -> String {
        switch value {
        case .null, .object: "NULL"
        case .integer(let integer) where attribute.kind == .boolean: "\(integer != 0)"
        case .integer(let integer): String(integer)
        case .double(let double): "'\(double)'::float8"
        case .decimal(let decimal): "'\(decimal)'::numeric"
        case .string(let text): text.sqlLiteral
        case .uuid(let uuid): "'\(uuid.uuidString)'::uuid"
        case .data(let data): "'\\x\(data.map(Self.digits).joined())'::bytea"
        case .reference(let key): String(key.key)
        }
    }

    private static func digits(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }

    // MARK: Numbers

    func conversion(of column: String, from old: ValueSlot, to new: ValueSlot) -> String? {
        guard isConverted(old.kind, new.kind) else { return nil }
        let number = number(column, old.kind)
        switch new.kind {
        case .boolean: return "(\(number) = 1)"
        case .float:
            let double = "\(number)::float8"
            return "CASE WHEN abs(\(double)) <= \(Self.roundedToZero) THEN 0"
                + " ELSE \(number)::real::float8 END"
        case .decimal where isFraction(old.kind): return "\(number)::text::numeric"
        default: return "\(number)::\(new.kind.serverType.name)"
        }
    }

    func misfit(of column: String, from old: ValueSlot, to new: ValueSlot) -> String? {
        guard isConverted(old.kind, new.kind) else { return nil }
        let number = number(column, old.kind)
        switch new.kind {
        case .boolean: return "\(number) NOT IN (0, 1)"
        case .integer16: return misfit(number, old.kind, bits: 16)
        case .integer32: return misfit(number, old.kind, bits: 32)
        case .integer64: return misfit(number, old.kind, bits: 64)
        case .double: return old.kind == .integer64 ? losesDigits(number, "float8") : nil
        case .float where isFraction(old.kind) || old.kind == .decimal:
            return "abs(\(number)::float8) >= \(Self.beyondFloat)::float8"
                + " AND abs(\(number)::float8) < 'Infinity'::float8"
        case .float: return losesDigits(number, "real")
        case .decimal where isFraction(old.kind):
            return "NOT (\(number) = 0 OR abs(\(number)) BETWEEN 1e-110 AND 1e127)"
        default: return nil
        }
    }

    private func isConverted(
        _ old: CoreDataModel.ValueKind, _ new: CoreDataModel.ValueKind
    ) -> Bool {
        guard NumericConversion.isNumeric(old), NumericConversion.isNumeric(new) else {
            return false
        }
        return old != new && !(old == .float && new == .double)
    }

    private func isFraction(_ kind: CoreDataModel.ValueKind) -> Bool {
        kind == .double || kind == .float
    }

    /// The column as a number; a Boolean becomes 0 or 1.
    private func number(_ column: String, _ kind: CoreDataModel.ValueKind) -> String {
        kind == .boolean ? "\(column)::integer" : column
    }

    private func misfit(
        _ number: String, _ old: CoreDataModel.ValueKind, bits: Int
    ) -> String? {
        let limit = UInt64(1) << (bits - 1)
        let range = "\(number) >= -\(limit) AND \(number) < \(limit)"
        switch old {
        case .boolean, .integer16: return nil
        case .integer32 where bits > 16, .integer64 where bits > 32: return nil
        case .integer32, .integer64: return "NOT (\(range))"
        default: return "NOT (\(number) = trunc(\(number)) AND \(range))"
        }
    }

    /// The condition that an integer changes its value when it becomes a fraction.
    private func losesDigits(_ number: String, _ type: String) -> String {
        let fraction = "\(number)::\(type)::float8"
        return "CASE WHEN \(fraction) >= 9223372036854775808 THEN true"
            + " ELSE \(fraction)::bigint <> \(number) END"
    }

    /// The largest number that rounds to zero as a `Float`, and the smallest that is too large for
    /// one.
    private static let roundedToZero = "7.006492321624085e-46"
    private static let beyondFloat = "3.4028235677973366e38"
}
