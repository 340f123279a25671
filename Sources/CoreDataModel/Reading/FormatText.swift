import CoreDataPredicate

/// Parses the expressions and predicates of a model file.
///
/// This type is separate from the assembler, because a file that uses predicates cannot import
/// Foundation.
enum FormatText {
    /// The expression, or the error in the text.
    static func expression(_ text: String) -> Result<NSExpression, PredicateFormatError> {
        do throws(PredicateFormatError) {
            return .success(try NSExpression.parse(text))
        } catch {
            return .failure(error)
        }
    }

    /// The predicate, or the error in the text.
    static func predicate(_ text: String) -> Result<NSPredicate, PredicateFormatError> {
        do throws(PredicateFormatError) {
            return .success(try NSPredicate.parse(text))
        } catch {
            return .failure(error)
        }
    }

    /// The error in the text of a predicate, or nil.
    static func problem(inPredicate text: String) -> String? {
        if case .failure(let error) = predicate(text) { error.description } else { nil }
    }
}
