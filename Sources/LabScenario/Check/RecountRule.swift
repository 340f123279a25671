/// The argument of the merge policy `recount`: `ENTITY.KEY from RELATIONSHIP`.
package struct RecountRule: Sendable, Hashable {
    package let entity: String
    package let key: String
    package let relationship: String

    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 3, words[1] == "from" else { return nil }
        let path = words[0].split(separator: ".")
        guard path.count == 2 else { return nil }
        entity = String(path[0])
        key = String(path[1])
        relationship = String(words[2])
    }
}
