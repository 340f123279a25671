import CoreDataPredicate

/// Parses the expressions and predicates of a model file.
///
/// It is in a separate file, because a file that uses predicates cannot import Foundation.
enum FormatText {
    static func expression(_ text: String) -> Result<NSExpression, PredicateFormatError> {
        do throws(PredicateFormatError) {
            return .success(try NSExpression.parse(text))
        } catch {
            return .failure(error)
        }
    }

    static func predicate(_ text: String) -> Result<NSPredicate, PredicateFormatError> {
        do throws(PredicateFormatError) {
            return .success(try NSPredicate.parse(text))
        } catch {
            return .failure(error)
        }
    }

    static func problem(inPredicate text: String) -> String? {
        if case .failure(let error) = predicate(text) { error.description } else { nil }
    }
}
