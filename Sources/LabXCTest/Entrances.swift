import CXCTestHooks
import LabRunner
import XCTest

// The functions that `CXCTestHooks` calls. A test case is passed as a pointer to the object.

@_cdecl("faultline_xctest_invoked")
func invoke(_ test: UnsafeMutableRawPointer) {
    Exploring.invoke(Unmanaged<XCTestCase>.fromOpaque(test).takeUnretainedValue())
}

@_cdecl("faultline_xctest_fulfilled")
func noteNews() { HostedTest.noteNews() }

@_cdecl("faultline_xctest_failed")
func failed(
    _ test: UnsafeMutableRawPointer, _ text: UInt64, _ moreText: UnsafeRawPointer?,
    _ file: UInt64, _ moreFile: UnsafeRawPointer?, _ line: Int
) -> Bool {
    Exploring.take(
        Exploring.Failure(
            text: string(text, moreText), file: string(file, moreFile), line: line))
}

/// Reads a Swift string from the two words of its memory representation. The caller keeps ownership
/// of the string.
private func string(_ first: UInt64, _ second: UnsafeRawPointer?) -> String {
    withUnsafeBytes(of: faultline_string(first: first, second: second)) {
        $0.load(as: String.self)
    }
}
