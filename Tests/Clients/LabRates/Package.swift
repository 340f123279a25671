// swift-tools-version: 6.0
import PackageDescription

// How fast ordinary code runs under schedules, and in how much memory, as a program and as a test
// bundle that know the public products alone. `Scripts/lab-rates.sh` prints both.
let package = Package(
    name: "LabRates",
    dependencies: [.package(name: "faultline", path: "../../..")],
    targets: [
        .target(
            name: "Rates",
            dependencies: [
                .product(name: "CoreData", package: "faultline"),
                .product(name: "LabRunner", package: "faultline"),
            ]),
        .executableTarget(name: "lab-rates", dependencies: ["Rates"]),
        .testTarget(name: "LabRatesTests", dependencies: ["Rates"], path: "Tests"),
    ]
)
