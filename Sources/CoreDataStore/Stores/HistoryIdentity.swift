import Foundation

/// The names by which a history identifies this process.
package enum HistoryIdentity {
    package static let process = ProcessInfo.processInfo.processName
    package static let bundle = Bundle.main.bundleIdentifier ?? process
}
