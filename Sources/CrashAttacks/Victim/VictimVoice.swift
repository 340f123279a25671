import Foundation
import Glibc

/// Writes a victim's standard output. Each line is one call of `write`, so a kill leaves no partial
/// line. The shim can log when the line was written.
enum VictimVoice {
    static func say(_ line: String) {
        var bytes = Array((line + "\n").utf8)
        while !bytes.isEmpty {
            let written = write(1, bytes, bytes.count)
            // Writing fails if the reader has closed the pipe.
            if written < 0 && errno != EINTR { return }
            bytes.removeFirst(max(0, written))
        }
    }

    static func begin(_ step: Int) { say("begin \(step)") }
    static func done(_ step: Int) { say("done \(step)") }
    static func finished() { say("finished") }

    static func failed(_ step: Int, _ error: any Error) {
        let error = error as NSError
        let sqlite = error.userInfo["NSSQLiteErrorDomain"]
        let code = (sqlite as? NSNumber)?.intValue ?? (sqlite as? String).flatMap(Int.init) ?? 0
        let text = (error.localizedDescription + " " + String(describing: error))
            .replacingOccurrences(of: "\n", with: " ")
        say("failed \(step) \(error.code) \(code) \(text.prefix(400))")
    }
}
