// swift-tools-version: 6.0
import PackageDescription

// An app's package whose tests do not use the lab themselves. `LabXCTest`, a dependency of the test
// target, explores them if FAULTLINE_EXPLORED is set.
let package = Package(
    name: "ExistingTests",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .target(
            name: "Notes", dependencies: [.product(name: "CoreData", package: "faultline")]),
        .testTarget(
            name: "NotesTests",
            dependencies: [
                "Notes", .product(name: "LabXCTest", package: "faultline"),
                .product(name: "LabRunner", package: "faultline"),
            ]),
    ],
    swiftLanguageModes: [.v5]
)
