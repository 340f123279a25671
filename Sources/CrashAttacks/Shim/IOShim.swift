import Foundation
import TortureCampaigns

/// The compiled shim library, which is preloaded into victim processes. A campaign compiles it
/// once.
struct IOShim: Sendable {
    let library: String

    /// Compiles the library into a folder.
    ///
    /// - Throws: an error if no C compiler exists, or if compiling fails.
    init(in folder: String) throws(InputFailure) {
        library = folder + "/shim.so"
        let source = folder + "/shim.c"
        guard
            FileManager.default.createFile(
                atPath: source, contents: Data(PackageResources.Shim_c))
        else { throw InputFailure("\(source) cannot be written") }
        let compiler = try Self.compiler()
        let output = folder + "/compiler"
        let ending = try ChildProcess(
            ChildProcess.Plan(
                program: compiler,
                arguments: [
                    "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread", "-lrt",
                ],
                output: output + ".out", complaint: output + ".err")
        ).wait()
        guard ending == .exited(0) else {
            let complaint = (try? String(contentsOfFile: output + ".err", encoding: .utf8)) ?? ""
            throw InputFailure(
                "\(compiler) \(ending) while compiling the shim: \(complaint.prefix(400))")
        }
    }

    private static func compiler() throws(InputFailure) -> String {
        let environment = ProcessInfo.processInfo.environment
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        let names = [environment["CC"], "cc", "clang", "gcc"].compactMap { $0 }
        for name in names where !name.contains(" ") {
            let places = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
            let found = places.first { FileManager.default.isExecutableFile(atPath: $0) }
            if let found { return found }
        }
        throw InputFailure(
            "no C compiler was found, which the library preloaded into victims needs;"
                + " install cc or clang, or name one in CC")
    }

    /// The actions of the library at the file system calls of a victim.
    enum Orders: Sendable, Equatable {
        /// The library only counts the calls.
        case nothing
        /// The process ends at the call with this number.
        case kill(at: Int, isTorn: Bool)
        /// The process ends some time after the call with this number.
        case killLater(after: Int, microseconds: Int)
        /// This number of calls fail, beginning with this call. If the error is 0, the next write
        /// stops half way instead.
        case fail(at: Int, times: Int, error: Int32, countsOpens: Bool)
        case log(String)
    }

    /// The environment variables for a victim process.
    ///
    /// - Parameters:
    ///   - folder: the library counts only calls on this folder and the files below it.
    ///   - count: the file that receives the number of calls.
    func environment(_ orders: Orders, folder: String, count: String) -> [String: String] {
        var result = [
            "LD_PRELOAD": library, "FAULTLINE_SHIM_FOLDER": folder, "FAULTLINE_SHIM_COUNT": count,
        ]
        switch orders {
        case .nothing: break
        case .kill(let call, let isTorn):
            result["FAULTLINE_SHIM_KILL"] = String(call)
            if isTorn { result["FAULTLINE_SHIM_TORN"] = "1" }
        case .killLater(let call, let microseconds):
            result["FAULTLINE_SHIM_KILL"] = String(call)
            result["FAULTLINE_SHIM_DELAY"] = String(microseconds)
        case .fail(let call, let times, let error, let countsOpens):
            result["FAULTLINE_SHIM_FAIL"] = String(call)
            result["FAULTLINE_SHIM_FAILS"] = String(times)
            result["FAULTLINE_SHIM_ERROR"] = String(error)
            if countsOpens { result["FAULTLINE_SHIM_OPENS"] = "1" }
        case .log(let file): result["FAULTLINE_SHIM_LOG"] = file
        }
        return result
    }
}

extension IOShim.Orders {
    var shown: String {
        switch self {
        case .nothing: "undisturbed"
        case .kill(let call, let isTorn): "killed at call \(call)" + (isTorn ? ", torn" : "")
        case .killLater(let call, let time): "killed \(time) µs after call \(call)"
        case .fail(let call, let times, let error, let countsOpens):
            "\(times == .max ? "all" : "\(times)") \(countsOpens ? "opens" : "calls") from"
                + " \(call) fail with \(error)"
        case .log: "logged"
        }
    }
}
