// swift-tools-version: 6.0
import PackageDescription

// A package that gates work on a custom model; it uses only the public products.
let package = Package(
    name: "BenchApp",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .executableTarget(
            name: "shelf-bench",
            dependencies: [
                .product(name: "CoreData", package: "faultline"),
                .product(name: "FaultlineBench", package: "faultline"),
            ],
            path: "Sources")
    ]
)
