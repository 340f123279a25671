/// The version of the tool and of its package: the newest heading of the changelog.
package enum FaultlineVersion {
    package static let text = "0.1.10"
}
