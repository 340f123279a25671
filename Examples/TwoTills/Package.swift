// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "TwoTills",
    // In your own package: .package(url: "<this repository>", from: "0.1.0")
    dependencies: [.package(name: "faultline", path: "../..")],
    targets: [
        .target(
            name: "Shop", dependencies: [.product(name: "CoreData", package: "faultline")]),
        .testTarget(
            name: "ShopTests",
            dependencies: ["Shop", .product(name: "LabRunner", package: "faultline")]),
    ]
)
