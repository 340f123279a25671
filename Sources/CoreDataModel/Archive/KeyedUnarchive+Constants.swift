import Foundation

extension KeyedUnarchive {
    /// A default value or an entry of user info. Nil if it has another type.
    package func constant(_ field: ArchiveValue?) -> Any? {
        switch value(field) {
        case .boolean(let flag)?: return NSNumber(value: flag)
        case .integer(let number)?: return NSNumber(value: number)
        case .real(let number)?: return NSNumber(value: number)
        case .data(let data)?: return data
        case .date(let date)?: return date
        case .string(let text)?: return text == "$null" ? nil : text
        case .dictionary?: return place(field).flatMap(object)
        case .array?, .reference?, nil: return nil
        }
    }

    private func object(_ place: Int) -> Any? {
        let fields = fields(place)
        if let text = fields["NS.string"] { return string(text) }
        if let text = string(fields["NS.relative"]) { return URL(string: text) }
        if case .real(let seconds)? = value(fields["NS.time"]) {
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        if case .data(let bytes)? = value(fields["NS.uuidbytes"]), bytes.count == 16 {
            return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        }
        return decimal(fields)
    }

    private func decimal(_ fields: [String: ArchiveValue]) -> NSDecimalNumber? {
        guard case .data(let bytes)? = value(fields["NS.mantissa"]),
            let exponent = integer(fields["NS.exponent"]), (-128...127).contains(exponent)
        else { return nil }
        // Byte order 1 is little-endian. Current processors write no other.
        let significand = bytes.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        let sign = flag(fields["NS.negative"]) ? "-" : ""
        let text = "\(sign)\(significand)e\(exponent)"
        return Decimal(string: text).map { NSDecimalNumber(decimal: $0) }
    }

    /// The superentities of an entity, the nearest first. If the inheritance has a cycle, the list
    /// ends before an entity would occur twice.
    func superentities(_ place: Int) -> [Int] {
        var found: [Int] = []
        var next = self.place(fields(place)["NSSuperentity"])
        while let parent = next, parent != place, !found.contains(parent) {
            found.append(parent)
            next = self.place(fields(parent)["NSSuperentity"])
        }
        return found
    }
}
