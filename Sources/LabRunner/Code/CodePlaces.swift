import CRuntimeShims
import Foundation
import Glibc

/// Finds the program's own code in stacks.
///
/// Reading a program's debug information takes a second, so the toolchain's symboliser reads it
/// once for all of them. Where there is none, lines have no places.
struct CodePlaces {
    /// By the address of a frame: where its source is, innermost first.
    private var sources: [UInt: [String]] = [:]

    /// Where this package's sources are, which are nobody's own code.
    private static let package: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/") + "/"
    }()

    init(_ stacks: [CallStack]) {
        var images: [Image: [UInt]] = [:]
        for address in Set(stacks.flatMap(\.calls)) {
            if let image = Image(of: address) { images[image, default: []].append(address) }
        }
        for (image, addresses) in images where Self.mayBeOwn(image.path) {
            look(addresses.sorted(), in: image)
        }
    }

    /// A program or library. The loader is asked for it: a look at all that the process maps meets
    /// files that other threads are just letting go of.
    private struct Image: Hashable {
        let path: String
        let base: UInt

        init?(of address: UInt) {
            var found: UnsafePointer<CChar>?
            var base: UInt = 0
            guard let pointer = UnsafeRawPointer(bitPattern: address),
                faultline_find_image(pointer, &found, &base), let found
            else { return nil }
            let path = String(cString: found)
            // The program's own is as it was called, perhaps from another folder.
            self.path =
                path.hasPrefix("/") ? path : (Bundle.main.executablePath ?? path)
            self.base = base
        }
    }

    /// Libraries of the system and of the toolchain are nobody's own code.
    private static func mayBeOwn(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.contains("/lib/swift/") && !path.hasPrefix("/usr/lib")
            && !path.hasPrefix("/lib")
    }

    /// `File.swift:12`; nil where nothing is known of the program's own code.
    func own(_ stack: CallStack) -> String? {
        for address in stack.calls {
            if let place = sources[address]?.first(where: Self.isOwn) {
                return Self.short(place)
            }
        }
        return nil
    }

    /// The calls of the program's own code that a stack is inside of, innermost first.
    func calls(_ stack: CallStack) -> [String] {
        stack.calls.flatMap { sources[$0] ?? [] }.filter(Self.isOwn).map(Self.short)
    }

    /// A place without its folder. What a macro has expanded is where the macro stands: the
    /// expansion of `#expect(throws:) { … }` has the lines of its closure, and a name that tells
    /// file and line.
    private static func short(_ place: String) -> String {
        let name = place.split(separator: "/").last.map(String.init) ?? place
        guard
            let match = name.firstMatch(
                of: /@__swiftmacro_.*?00\d+(\w+?)swift_\w+?MX(\d+)_.*:(\d+)/),
            let start = Int(match.2), let line = Int(match.3)
        else { return name }
        return "\(match.1).swift:\(start + line)"
    }

    private static func isOwn(_ place: String) -> Bool {
        place.contains(".swift:") && !place.hasPrefix(package) && place.hasPrefix("/")
            && !place.contains("/build-user/") && !place.contains("/.build/checkouts/")
    }

    /// Asks the symboliser for the places of addresses of a program or library.
    private mutating func look(_ addresses: [UInt], in image: Image) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let offsets = addresses.map { "0x" + String($0 - image.base, radix: 16) }
        process.arguments =
            ["llvm-symbolizer", "--obj=\(image.path)", "--output-style=LLVM", "--no-demangle"]
            + offsets
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return }
        let text = Self.text(of: output.fileHandleForReading.fileDescriptor)
        process.waitUntilExit()
        // One paragraph for each address: a name and a place for each frame, also inlined ones.
        for (address, paragraph) in zip(addresses, text.split(separator: "\n\n")) {
            let lines = paragraph.split(separator: "\n")
            let places = lines.enumerated().filter { $0.offset % 2 == 1 }.map { _, line in
                // FILE:LINE:COLUMN
                String(line[..<(line.lastIndex(of: ":") ?? line.endIndex)])
            }
            sources[address] = places
        }
    }

    /// All that a pipe gives; Foundation's own way ends the process where a signal comes between.
    private static func text(of descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
