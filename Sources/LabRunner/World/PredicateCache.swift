import CoreDataPredicate
import LabScenario

/// Predicates by their text, parsed once for a world. Step runners and observers ask it.
struct PredicateCache {
    private var parsed: [String: NSPredicate] = [:]

    /// - Throws: what is wrong with a format; a checked file has no such format.
    mutating func predicate(_ text: PredicateText) throws(PredicateFormatError) -> NSPredicate {
        if let known = parsed[text.format] { return known }
        let made = try NSPredicate.parse(text.format)
        parsed[text.format] = made
        return made
    }
}
