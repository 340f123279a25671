import CoreData
import Foundation

/// Predicates with a constant in every possible position.
enum SecretPredicates {
    static func all(_ markers: inout Markers, _ object: NSManagedObject) -> [NSPredicate] {
        compared(&markers) + texts(&markers) + lists(&markers) + nested(&markers, object)
    }

    /// Compares each attribute with a constant, with every operator.
    private static func compared(_ markers: inout Markers) -> [NSPredicate] {
        var made: [NSPredicate] = []
        let keys = SecretStack.kinds.map(\.name).filter { $0 != "flag" && $0 != "list" }
        for key in keys {
            for word in ["==", "!=", "<", ">="] {
                guard let constant = SecretStack.constant(key, &markers) else { continue }
                made.append(NSPredicate(format: "%K \(word) %@", argumentArray: [key, constant]))
                made.append(NSPredicate(format: "%@ \(word) %K", argumentArray: [constant, key]))
            }
        }
        return made
    }

    private static func texts(_ markers: inout Markers) -> [NSPredicate] {
        ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES", "==", "<"].flatMap { word in
            ["", "[c]", "[cd]", "[n]"].map { options in
                NSPredicate(format: "text \(word)\(options) %@", markers.text("predicate"))
            }
        }
    }

    private static func lists(_ markers: inout Markers) -> [NSPredicate] {
        let texts = (0..<3).map { _ in markers.text("list") }
        let numbers = (0..<2).map { _ in markers.whole(100_000_000...999_999_999, "list") }
        return [
            NSPredicate(format: "text IN %@", texts),
            NSPredicate(format: "text IN[c] %@", texts),
            NSPredicate(format: "NOT text IN %@", Set(texts)),
            NSPredicate(format: "text IN {%@, %@}", texts[0], texts[1]),
            NSPredicate(format: "text BETWEEN %@", [texts[0], texts[1]]),
            NSPredicate(format: "whole BETWEEN {%d, %d}", numbers[0], numbers[1]),
            NSPredicate(format: "day IN %@", [markers.date(), markers.date()]),
            NSPredicate(format: "serial IN %@", [markers.uuid(), markers.uuid()]),
            NSPredicate(format: "exact IN %@", [markers.decimal(), markers.decimal()]),
            NSPredicate(format: "page IN %@", [markers.url()]),
            NSPredicate(format: "seal IN %@", [markers.data()]),
            NSPredicate(format: "%@ CONTAINS text", texts),
        ]
    }

    private static func nested(_ markers: inout Markers, _ object: NSManagedObject) -> [NSPredicate]
    {
        let number = markers.whole(100_000_000...999_999_999, "nested")
        let day = markers.date()
        return [
            NSPredicate(
                format: "SUBQUERY(parts, $p, $p.text == %@ AND $p.day > %@).@count > 0",
                markers.text("subquery"), day as NSDate),
            NSPredicate(format: "ANY parts.text == %@", markers.text("any")),
            NSPredicate(format: "ALL parts.whole > %d", number),
            NSPredicate(format: "wholeThing.text == %@", markers.text("path")),
            NSPredicate(format: "whole + %d > small", number),
            NSPredicate(format: "uppercase:(text) == %@", markers.text("function")),
            NSPredicate(format: "CAST(%@, \"NSDate\") < day", day as NSDate),
            NSPredicate(format: "wholeThing == %@", object),
            NSPredicate(format: "SELF == %@", object.objectID),
            NSPredicate(format: "SELF IN %@", [object]),
            NSPredicate(format: "place.street == %@", markers.text("composite")),
            NSPredicate(
                format: "text == %@ AND (NOT whole == %d OR day < %@)", markers.text("compound"),
                number, day as NSDate),
            NSPredicate(format: "text == '\(markers.text("literal"))'"),
            NSPredicate(format: "text == $VALUE").withSubstitutionVariables(
                ["VALUE": markers.text("variable")]),
            NSPredicate(format: "nothing == %@", markers.text("unknown key")),
        ]
    }
}
