// swift-tools-version: 6.2
import PackageDescription

// The peers that the bench is measured beside. A package of its own, so that nothing of Faultline
// depends on one of them.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")
    ],
    targets: [
        .executableTarget(
            name: "grdb-peer",
            dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
    ]
)
