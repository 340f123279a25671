// swift-tools-version: 6.0
import PackageDescription

// A test target with a custom scenario. It uses only the public products.
let package = Package(
    name: "LabTests",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .testTarget(
            name: "LabTests",
            dependencies: [
                .product(name: "LabCommands", package: "faultline"),
                .product(name: "LabRunner", package: "faultline"),
            ],
            path: "Tests")
    ]
)
