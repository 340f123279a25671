// swift-tools-version: 6.0
import PackageDescription

// Measures the speed and the memory use of ordinary code under schedules. The program and the test
// bundle use only the public products. `Scripts/lab-rates.sh` prints the results.
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
