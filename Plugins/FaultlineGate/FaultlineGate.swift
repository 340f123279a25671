import Foundation
import PackagePlugin

/// `swift package faultline-gate ARGUMENTS…` builds the package's program of workloads in release
/// mode, and runs its `gate` with these arguments.
///
/// `--product NAME` selects one of several programs. `--debug` builds without optimisation, which
/// suffices to compare counts.
@main
struct FaultlineGate: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        let name = extractor.extractOption(named: "product").last
        let isDebug = extractor.extractFlag(named: "debug") > 0
        let product = try program(name, of: context.package)
        print("building \(product)")
        var parameters = PackageManager.BuildParameters(
            configuration: isDebug ? .debug : .release, logging: .concise)
        parameters.echoLogs = true
        let build = try packageManager.build(.product(product), parameters: parameters)
        guard build.succeeded,
            let built = build.builtArtifacts.first(where: { $0.kind == .executable })
        else { throw Problem("the build of \(product) failed") }
        let words =
            ["gate"] + extractor.remainingArguments + (isDebug ? ["--allow-debug-build"] : [])
        let process = Process()
        process.executableURL = built.url
        process.arguments = words
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        // The command ends with the gate's exit code: 1 if something got worse, 2 if an input
        // cannot be used, 3 if not everything was compared.
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }

    /// The executable product with this name, or else the only one that uses `FaultlineBench`.
    private func program(_ name: String?, of package: Package) throws -> String {
        let products = package.products(ofType: ExecutableProduct.self)
        let names = products.map(\.name).sorted().joined(separator: ", ")
        if let name {
            guard products.contains(where: { $0.name == name }) else {
                throw Problem("no executable product is named '\(name)'; choose one of \(names)")
            }
            return name
        }
        let own = products.filter { $0.mainTarget.dependsOnBench }
        guard own.count == 1, let product = own.first else {
            throw Problem(
                own.isEmpty
                    ? "no executable of this package depends on the product FaultlineBench"
                    : "several executables depend on FaultlineBench; give --product with one of "
                        + own.map(\.name).sorted().joined(separator: ", "))
        }
        return product.name
    }

    /// A problem that prevents the command from running.
    private struct Problem: Error, CustomStringConvertible {
        let description: String

        init(_ text: String) { description = text }
    }
}

extension Target {
    /// Whether the target, or one on which it depends, uses the product `FaultlineBench`.
    fileprivate var dependsOnBench: Bool {
        dependencies.contains { dependency in
            switch dependency {
            case .product(let product): product.name == "FaultlineBench"
            case .target(let target): target.dependsOnBench
            @unknown default: false
            }
        }
    }
}
