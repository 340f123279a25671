import Foundation

extension ProgramValue {
    var object: any Sendable {
        switch self {
        case .text(let text): text
        case .whole(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .decimal(let hundredths): NSDecimalNumber(decimal: Decimal(hundredths) / 100)
        case .flag(let flag): NSNumber(value: flag)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .bytes(let bytes): Data(bytes)
        case .uuid(let last): UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, last))
        case .place(let text): URL(string: text) ?? URL(fileURLWithPath: text)
        }
    }

    /// Converts an attribute's value; nil for no value. A value of an unexpected type becomes a
    /// text with the name of the type.
    init?(_ object: Any?, _ form: ProgramAttribute.Form) {
        guard let object, !(object is NSNull) else { return nil }
        switch (form, object) {
        case (.text, let text as String): self = .text(text)
        case (.decimal, let number as NSDecimalNumber):
            self = .decimal(Int((number.doubleValue * 100).rounded()))
        case (.date, let date as Date): self = .date(date.timeIntervalSinceReferenceDate)
        case (.bytes, let data as Data): self = .bytes(Array(data))
        case (.uuid, let uuid as UUID): self = .uuid(uuid.uuid.15)
        case (.place, let url as URL): self = .place(url.absoluteString)
        case (.whole, let number as NSNumber): self = .whole(number.intValue)
        case (.real, let number as NSNumber): self = .real(number.doubleValue)
        case (.flag, let number as NSNumber): self = .flag(number.boolValue)
        default: self = .text("\(type(of: object)) \(object)")
        }
    }
}
