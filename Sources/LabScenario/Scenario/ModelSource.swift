/// The source of the model.
package enum ModelSource: Sendable {
    case inline(ModelShape)
    /// A model file: a path relative to the scenario file, or a path after `fixtures:`.
    case file(path: Located<String>, version: Located<String>?)
}
