import BenchResults
import CommandLineSupport
import LabFiles

extension Places {
    static func benchReport(_ path: String) throws(InputError) -> BenchReport {
        let report = try ResultFile.read(BenchReport.self, from: try read(path), file: path)
        guard let report else {
            throw InputError(
                file: path, problem: "this file is not a result of bench",
                remedy: "give a file that `./faultline bench --save FILE` wrote")
        }
        return report
    }
}
