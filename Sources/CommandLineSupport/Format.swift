import ArgumentParser

/// How results are written.
package enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case json
    case junit
}
