/// The source of the model.
package enum ModelSource: Sendable {
    case inline(ModelShape)
    /// A path relative to the scenario file or after `fixtures:`.
    case file(path: Located<String>, version: Located<String>?)
}
