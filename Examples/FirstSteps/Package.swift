// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "FirstSteps",
    // In your own package: .package(url: "<this repository>", from: "0.1.0")
    dependencies: [.package(name: "faultline", path: "../..")],
    targets: [
        .executableTarget(
            name: "first-steps",
            dependencies: [.product(name: "CoreData", package: "faultline")],
            exclude: ["Library.xcdatamodeld"],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "faultline")])
    ]
)
