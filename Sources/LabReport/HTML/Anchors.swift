/// Creates the ids of sections on a page. An id stays the same if other sections are added or
/// removed, so that links stay valid.
struct Anchors {
    private var taken: Set<String> = []

    /// The id for a text. If the page has an id for an equal text already, a number is appended.
    mutating func id(_ parts: String...) -> String {
        let slug = parts.map(Self.slug).filter { !$0.isEmpty }.joined(separator: "-")
        var id = slug
        var number = 2
        while !taken.insert(id).inserted {
            id = "\(slug)-\(number)"
            number += 1
        }
        return id
    }

    /// The text in lower case, with each sequence of characters other than letters and digits
    /// replaced by a hyphen.
    private static func slug(_ text: String) -> String {
        var slug = ""
        for scalar in text.lowercased().unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9": slug.unicodeScalars.append(scalar)
            default: if !slug.isEmpty, !slug.hasSuffix("-") { slug += "-" }
            }
        }
        return slug.hasSuffix("-") ? String(slug.dropLast()) : slug
    }
}
