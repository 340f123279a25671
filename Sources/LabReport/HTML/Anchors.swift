/// Names of positions on a page that stay the same when others are added or removed, so that links
/// to them stay valid.
struct Anchors {
    private var taken: Set<String> = []

    /// The id of a position, built from its text; the second of two equal texts gets a number.
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

    /// Small letters and digits, everything else as a hyphen.
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
