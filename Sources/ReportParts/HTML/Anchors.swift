/// Creates the ids of sections on a page. Adding or removing other sections does not change an id,
/// so links stay valid.
package struct Anchors {
    private var taken: Set<String> = []

    package init() {}

    /// A new id. A number is appended if the page already has a section with this id.
    package mutating func id(_ parts: String...) -> String {
        let slug = parts.map(Self.slug).filter { !$0.isEmpty }.joined(separator: "-")
        var id = slug
        var number = 2
        while !taken.insert(id).inserted {
            id = "\(slug)-\(number)"
            number += 1
        }
        return id
    }

    /// Each sequence of characters other than letters and digits is replaced by one hyphen.
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
