import ArgumentParser

/// The format in which a command writes its results.
package enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case json
    case junit
}
