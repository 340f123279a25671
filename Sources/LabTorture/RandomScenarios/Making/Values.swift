import LabScenario

/// Random attribute values, as statements contain them. There are few of them, so that equal values
/// are likely.
enum Values {
    static func literal(of type: AttributeType, _ dice: inout Dice) -> String {
        switch type {
        case .integer16: integer([32_767, -32_768], &dice)
        case .integer32: integer([2_147_483_647, -2_147_483_648], &dice)
        case .integer64: integer([.max, .min + 1], &dice)
        case .boolean: dice.chance(50) ? "true" : "false"
        case .double, .float: dice.pick(["0", "1", "1.5", "-2.25", "3"]) ?? "0"
        case .decimal: dice.pick(["0", "1", "1.5", "\"1234567.125\"", "-0.5"]) ?? "0"
        case .string: dice.pick(texts) ?? "\"\""
        case .date:
            dice.pick(["\"2024-05-06T07:08:09Z\"", "\"1999-12-31\"", "\"2024-05-07\""]) ?? ""
        case .uuid: "\"00000000-0000-0000-0000-00000000000\(dice.number(1...3))\""
        case .binary: dice.pick(["\"AAEC\"", "\"\"", "\"/w==\""]) ?? ""
        case .uri: "\"https://example.org/\(dice.number(1...3))\""
        }
    }

    private static func integer(_ edges: [Int64], _ dice: inout Dice) -> String {
        if dice.chance(4), let edge = dice.pick(edges) { return String(edge) }
        return String(dice.below(6))
    }

    private static let texts = [
        "\"\"", "\"a\"", "\"b\"", "\"ab\"", "\"A\"", "\"ä\"", "\"a b\"", "\"it's\"", "\"%\"",
        "\"😀\"",
    ]
}
