import Foundation
import Testing

@testable import CoreDataTrace

/// Writing to a disk that may be full.
struct StandardStreamTests {
    private func withFullDisk(_ body: (Int32) throws -> Void) throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        try body(full.fileDescriptor)
    }

    @Test func `a text that does not fit on a full disk is an error`() throws {
        try withFullDisk { file in
            #expect(throws: StandardStreamError.self) {
                try StandardStream.write("text", to: file)
            }
        }
    }

    @Test func `texts that do not fit on a full disk are counted and dropped`() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let full = open("/dev/full", O_WRONLY)
            for _ in 0..<3 { StandardStream.log("lost\n", to: full) }
            StandardStream.log("kept\n")
            StandardStream.log("last\n")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("3 earlier texts were not written.\nkept\nlast\n"))
        #expect(!text.contains("lost\n"))
    }
}
