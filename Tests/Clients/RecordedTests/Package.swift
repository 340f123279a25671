// swift-tools-version: 6.0
import PackageDescription

// The tests of an app. Some of them fail. A trait, an observer or FAULTLINE_RECORD records the
// actions of their contexts. The package uses only the public products.
let package = Package(
    name: "RecordedTests",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .testTarget(
            name: "RecordedTests",
            dependencies: [
                .product(name: "CoreData", package: "faultline"),
                .product(name: "FaultlineRecorder", package: "faultline"),
                .product(name: "FaultlineRecorderTesting", package: "faultline"),
            ])
    ]
)
