import CoreData
import CoreDataPredicate
import Foundation

/// A reference in a predicate to an object of ``OddData``. It is replaced by the object of the
/// store that evaluates the predicate.
final class ObjectMark: NSObject {
    let number: Int

    init(_ number: Int) { self.number = number }

    override var description: String { "i\(number)" }
}

/// A reference in a predicate to an entity.
final class EntityMark: NSObject {
    let name: String

    init(_ name: String) { self.name = name }

    override var description: String { name }
}

/// Generates random predicates and sort orders over ``OddData``. Both sides of a comparison have
/// the same type.
struct PredicateDice {
    private var dice: Dice
    private let count: Int

    static func predicate(_ dice: inout Dice, _ count: Int) -> NSPredicate {
        var maker = PredicateDice(dice: dice, count: count)
        defer { dice = maker.dice }
        return maker.predicate(levels: 3)
    }

    private mutating func predicate(levels: Int) -> NSPredicate {
        if levels > 0, dice.chance(45) {
            let parts = (0..<dice.number(2...3)).map { _ in predicate(levels: levels - 1) }
            switch dice.below(3) {
            case 0: return NSCompoundPredicate(andPredicateWithSubpredicates: parts)
            case 1: return NSCompoundPredicate(orPredicateWithSubpredicates: parts)
            default: return NSCompoundPredicate(notPredicateWithSubpredicate: parts[0])
            }
        }
        let (format, arguments) = comparison(prefix: "")
        return NSPredicate(format: format, argumentArray: arguments)
    }

    private typealias Piece = (format: String, arguments: [Any])

    private mutating func one<T>(_ items: [T]) -> T { items[dice.below(items.count)] }

    // MARK: Comparisons

    private static let signs = ["==", "!=", "<", "<=", ">", ">="]

    /// - Parameter prefix: the prefix of key paths, which is empty or `$x.`.
    private mutating func comparison(prefix: String) -> Piece {
        switch dice.below(prefix.isEmpty ? 20 : 11) {
        case 0, 1, 2: return numbers(prefix)
        case 3, 4: return texts(prefix)
        case 5: return search(prefix)
        case 6: return missing(prefix)
        case 7: return days(prefix)
        case 8: return cashes(prefix)
        case 9: return bytes(prefix)
        case 10: return objects(prefix)
        case 11, 12: return numbers(levels: 2)
        case 13, 14: return members()
        case 15: return lists()
        case 16: return entities()
        case 17: return conditional()
        default: return members()
        }
    }

    private mutating func numbers(_ prefix: String) -> Piece {
        let (left, arguments) = (prefix + one(Self.numberPaths), [number()])
        return ("\(left) \(one(Self.signs)) %@", arguments)
    }

    private mutating func numbers(levels: Int) -> Piece {
        let left = numeric(levels), right = dice.chance(60) ? constant() : numeric(1)
        return (
            "\(left.format) \(one(Self.signs)) \(right.format)", left.arguments + right.arguments
        )
    }

    private static let options = ["", "", "", "[c]", "[d]", "[cd]", "[l]", "[n]", "[cl]", "[cn]"]

    private mutating func texts(_ prefix: String) -> Piece {
        let left: Piece =
            prefix.isEmpty ? text(1) : (prefix + one(Self.textPaths), [])
        let right: Piece =
            dice.chance(70)
            ? ("%@", [one(OddData.texts)]) : (prefix + one(Self.textPaths), [])
        return (
            "\(left.format) \(one(Self.signs))\(one(Self.options)) \(right.format)",
            left.arguments + right.arguments
        )
    }

    private mutating func search(_ prefix: String) -> Piece {
        let path = prefix + one(Self.textPaths)
        let option = one(Self.options)
        switch dice.below(5) {
        case 0:
            return ("\(path) LIKE\(option) %@", [one(["*a*", "?", "a*", "é*", "*", "", "\\*"])])
        case 1:
            return ("\(path) MATCHES\(option) %@", [one(["a.*", "[a-c]+", ".*é.*", "\\d+", ""])])
        default:
            let name = one(["CONTAINS", "BEGINSWITH", "ENDSWITH"])
            return ("\(path) \(name)\(option) %@", [one(OddData.texts)])
        }
    }

    private mutating func missing(_ prefix: String) -> Piece {
        let paths = Self.numberPaths + Self.textPaths + ["day", "cash", "mark", "parent", "blob"]
        return ("\(prefix)\(one(paths)) \(one(["==", "!="])) nil", [])
    }

    private mutating func days(_ prefix: String) -> Piece {
        let path = prefix + one(["day", "parent.day"])
        if dice.chance(20) {
            return ("\(path) BETWEEN {%@, %@}", [one(OddData.days), one(OddData.days)])
        }
        if dice.chance(10) { return ("CAST(\(path), 'NSNumber') > %@", [number()]) }
        return ("\(path) \(one(Self.signs)) %@", [one(OddData.days)])
    }

    private mutating func cashes(_ prefix: String) -> Piece {
        let path = prefix + one(["cash", "parent.cash"])
        let left = dice.chance(20) ? "\(path) \(one(["+", "*", "-", "/"])) 2" : path
        return (
            "\(left) \(one(Self.signs)) %@", [NSDecimalNumber(decimal: one(OddData.cashes))]
        )
    }

    private mutating func bytes(_ prefix: String) -> Piece {
        let sign = one(["==", "!="])
        if dice.chance(50) { return ("\(prefix)blob \(sign) %@", [one(OddData.blobs)]) }
        if dice.chance(30) {
            return ("\(prefix)mark IN %@", [[one(OddData.marks), one(OddData.marks)]])
        }
        return ("\(prefix)mark \(sign) %@", [one(OddData.marks)])
    }

    private mutating func objects(_ prefix: String) -> Piece {
        let mark = ObjectMark(dice.below(count))
        let itself = prefix.isEmpty ? "SELF" : String(prefix.dropLast())
        switch dice.below(7) {
        case 0: return ("\(itself) \(one(["==", "!="])) %@", [mark])
        case 1: return ("\(itself) IN %@", [[mark, ObjectMark(dice.below(count))]])
        case 2: return ("\(prefix)parent IN %@", [[mark, ObjectMark(dice.below(count))]])
        case 3: return ("\(prefix)children CONTAINS %@", [mark])
        case 4: return ("%@ IN \(prefix)friends", [mark])
        case 5: return ("\(prefix)parent.parent == %@", [mark])
        default: return ("\(prefix)parent \(one(["==", "!="])) %@", [mark])
        }
    }

    private mutating func members() -> Piece {
        let quantity = one(["ANY", "ALL", "NONE"])
        let path = one(["children", "friends", "fans", "parent.children", "children.parent"])
        switch dice.below(6) {
        case 0: return ("\(quantity) \(path) == %@", [ObjectMark(dice.below(count))])
        case 1:
            return (
                "\(quantity) \(path).text \(one(["==", "!=", "CONTAINS[c]", "<"])) %@",
                [one(OddData.texts)]
            )
        case 2: return ("\(quantity) \(path).friends.small > %@", [number()])
        case 3: return ("\(quantity) \(path).small \(one(["==", "!="])) nil", [])
        case 4: return ("\(quantity) \(path).small IN %@", [[1, 2, 7]])
        default:
            return (
                "\(quantity) \(path).\(one(["small", "real"])) \(one(Self.signs)) %@", [number()]
            )
        }
    }

    private mutating func lists() -> Piece {
        let path = one(Self.numberPaths)
        switch dice.below(5) {
        case 0: return ("\(path) IN %@", [[number(), number(), number()]])
        case 1: return ("%@ CONTAINS \(path)", [[number(), number()]])
        case 2: return ("\(path) BETWEEN {%@, %@}", [number(), number()])
        case 3:
            return (
                "\(one(Self.textPaths)) IN\(one(Self.options)) %@",
                [[one(OddData.texts), one(OddData.texts)]]
            )
        default: return ("{%@, %@} CONTAINS \(path)", [number(), number()])
        }
    }

    private mutating func entities() -> Piece {
        let mark = EntityMark(one(["Item", "Special"]))
        switch dice.below(4) {
        case 0: return ("parent.entity == %@", [mark])
        case 1: return ("entity.name == 'Special'", [])
        case 2: return ("entity IN %@", [[mark]])
        default: return ("entity \(one(["==", "!="])) %@", [mark])
        }
    }

    private mutating func conditional() -> Piece {
        let condition = comparison(prefix: "")
        let yes = numeric(0), no = numeric(0)
        return (
            "TERNARY(\(condition.format), \(yes.format), \(no.format)) > %@",
            condition.arguments + yes.arguments + no.arguments + [number()]
        )
    }

    // MARK: Values

    private static let numberPaths = [
        "whole", "small", "real", "flag", "parent.whole", "parent.small", "parent.parent.small",
        "place.height", "parent.place.height",
    ]
    private static let textPaths = [
        "text", "note", "parent.text", "parent.parent.note", "place.city",
    ]

    private mutating func number() -> NSNumber {
        switch dice.below(3) {
        case 0: NSNumber(value: one(OddData.wholes))
        case 1: NSNumber(value: one(OddData.smalls))
        default: NSNumber(value: one(OddData.reals))
        }
    }

    private mutating func constant() -> Piece { ("%@", [number()]) }

    private mutating func text(_ levels: Int) -> Piece {
        let path = one(Self.textPaths)
        guard levels > 0, dice.chance(30) else { return (path, []) }
        return ("\(one(["uppercase", "lowercase", "canonical"]))(\(path))", [])
    }

    private mutating func numeric(_ levels: Int) -> Piece {
        guard levels > 0 else {
            return dice.chance(70) ? (one(Self.numberPaths), []) : constant()
        }
        switch dice.below(9) {
        case 0:
            let left = numeric(levels - 1), right = numeric(levels - 1)
            return (
                "(\(left.format) \(one(["+", "-", "*", "/"])) \(right.format))",
                left.arguments + right.arguments
            )
        case 1:
            let path = one(["whole", "small", "parent.small"])
            let number: Int = one([2, 3, 7, -5])
            if dice.chance(40) { return ("modulus:by:(\(path), %@)", [number]) }
            return ("(\(path) \(one(["&", "|", "^"])) %@)", [number])
        case 2:
            let inner = numeric(levels - 1)
            let name = one(["abs", "floor", "ceiling", "sqrt", "trunc", "noindex"])
            return ("\(name)(\(inner.format))", inner.arguments)
        case 3:
            let path = one(Self.textPaths)
            return (dice.chance(50) ? "length(\(path))" : "\(path).length", [])
        case 4:
            return ("\(one(["children", "friends", "parent.children", "parent.fans"])).@count", [])
        case 5:
            let path = one(["children", "friends", "parent.children"])
            return ("\(path).@\(one(["sum", "avg", "min", "max"])).\(one(["small", "real"]))", [])
        case 6:
            let name = one(["sum", "count", "min", "max", "average", "median"])
            return ("\(name):(\(one(["children", "friends"])).\(one(["small", "real"])))", [])
        case 7:
            let condition = comparison(prefix: "$x.")
            let path = one(["children", "friends", "parent.children"])
            return ("SUBQUERY(\(path), $x, \(condition.format)).@count", condition.arguments)
        default: return (one(Self.numberPaths), [])
        }
    }

    // MARK: Orders

    private static let selectors = [
        "compare:", "caseInsensitiveCompare:", "localizedCompare:",
        "localizedCaseInsensitiveCompare:", "localizedStandardCompare:",
    ]

    /// One or two sort keys, and then the name, which makes the order unique.
    static func order(_ dice: inout Dice) -> [NSSortDescriptor] {
        var order: [NSSortDescriptor] = []
        for _ in 0..<dice.number(1...2) {
            let isAscending = dice.chance(50)
            if dice.chance(50) {
                let selector = selectors[dice.below(selectors.count)]
                order.append(
                    NSSortDescriptor(
                        key: textPaths[dice.below(textPaths.count)], ascending: isAscending,
                        selector: Selector(selector)))
            } else {
                let keys = numberPaths + ["day", "cash", "mark", "blob", "parent.day"]
                order.append(
                    NSSortDescriptor(key: keys[dice.below(keys.count)], ascending: isAscending))
            }
        }
        return order + [NSSortDescriptor(key: "name", ascending: true)]
    }
}
