// swift-tools-version: 6.0
import PackageDescription

// A package that gates work on its own model; it knows the public products alone.
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
