// swift-tools-version: 6.0
import PackageDescription

// An app as a user of Core Data writes it, in Swift 6 mode; it uses only the public product.
let package = Package(
    name: "Swift6App",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Swift6App", dependencies: [.product(name: "CoreData", package: "faultline")],
            path: "Sources")
    ]
)
