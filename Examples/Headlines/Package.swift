// swift-tools-version: 6.2
import PackageDescription

// Core Data under Swift 6's concurrency rules. Tasks import headlines, and a list on the main actor
// shows them. They exchange object ids, need no locks, and compile without warnings.
let package = Package(
    name: "Headlines",
    // In your own package: .package(url: "<this repository>", from: "0.1.0")
    dependencies: [.package(name: "faultline", path: "../..")],
    targets: [
        .target(
            name: "Headlines", dependencies: [.product(name: "CoreData", package: "faultline")]),
        .testTarget(name: "HeadlinesTests", dependencies: ["Headlines"]),
    ],
    swiftLanguageModes: [.v6]
)
