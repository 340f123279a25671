// swift-tools-version: 6.0
import PackageDescription

// An app's tests, some of which fail: a trait, an observer or FAULTLINE_RECORD has what their
// contexts did written down. They know the public products alone.
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
