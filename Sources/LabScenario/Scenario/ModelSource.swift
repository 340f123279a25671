/// Where the model comes from.
package enum ModelSource: Sendable {
    case inline(ModelShape)
    /// A path beside the scenario file or behind `fixtures:`.
    case file(path: Located<String>, version: Located<String>?)
}
