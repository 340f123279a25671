/// The version of the tool and of its package, equal to the newest version in the changelog.
package enum FaultlineVersion {
    package static let text = "0.1.10"
}
