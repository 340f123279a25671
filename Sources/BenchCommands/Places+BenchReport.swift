import CommandLineSupport
import LabReport
import LabResults

extension Places {
    static func benchReport(_ path: String) throws(InputError) -> BenchReport {
        guard case .bench(let report) = try ResultFile.read(try read(path), file: path) else {
            throw InputError(
                file: path, problem: "this file is not a result of bench",
                remedy: "give a file that `./faultline bench --save FILE` wrote")
        }
        return report
    }
}
