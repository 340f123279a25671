import CoreDataPredicate
import LabScenario

/// Parsed predicates by their text. Each text is parsed once for a world.
struct PredicateCache {
    private var parsed: [String: NSPredicate] = [:]

    /// - Throws: an error in the format, which a checked file does not have.
    mutating func predicate(_ text: PredicateText) throws(PredicateFormatError) -> NSPredicate {
        if let known = parsed[text.format] { return known }
        let made = try NSPredicate.parse(text.format)
        parsed[text.format] = made
        return made
    }
}
