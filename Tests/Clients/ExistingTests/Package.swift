// swift-tools-version: 6.0
import PackageDescription

// The package of an app whose tests do not use the lab themselves. If FAULTLINE_EXPLORED is set,
// `LabXCTest` explores them. It is a dependency of the test target.
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
