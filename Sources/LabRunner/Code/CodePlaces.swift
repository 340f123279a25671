import CRuntimeShims
import CWaitHooks
import Foundation
import Glibc
import Synchronization

/// Finds source positions in the program for call stacks.
///
/// Reading a program's debug information takes about a second. Therefore the toolchain's symboliser
/// reads it once for all stacks. Without a symboliser, lines have no source positions.
struct CodePlaces {
    private var sources: [UInt: [String]] = [:]

    /// The folder of this package's sources. Positions in this folder do not count as the
    /// program's.
    private static let package: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/") + "/"
    }()

    /// The positions that this process has already looked up.
    private static let known = Mutex<[UInt: [String]]>([:])

    init(_ stacks: [CallStack]) {
        var images: [Image: [UInt]] = [:]
        let known = Self.known.withLock { $0 }
        for address in Set(stacks.flatMap(\.calls)) {
            if let places = known[address] {
                sources[address] = places
            } else if let image = Image(of: address) {
                images[image, default: []].append(address)
            }
        }
        for (image, addresses) in images where Self.mayBeOwn(image.path) {
            look(addresses.sorted(), in: image)
        }
        let found = sources
        Self.known.withLock { $0.merge(found) { old, _ in old } }
    }

    /// The program or library that contains an address, as the loader reports it. The process's
    /// list of mappings also contains files that other threads are just unmapping, so it is not
    /// used.
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
            // The loader reports the path with which the program was started. This path may be
            // relative to another folder.
            self.path =
                path.hasPrefix("/") ? path : (Bundle.main.executablePath ?? path)
            self.base = base
        }
    }

    /// Whether a library may be part of the program. Libraries of the system and of the toolchain
    /// are not.
    private static func mayBeOwn(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.contains("/lib/swift/") && !path.hasPrefix("/usr/lib")
            && !path.hasPrefix("/lib")
    }

    /// `File.swift:12`; nil if no position of the program is known.
    func own(_ stack: CallStack) -> String? {
        for address in stack.calls {
            if let place = sources[address]?.first(where: Self.isOwn) {
                return Self.short(place)
            }
        }
        return nil
    }

    /// The program's calls in a stack, innermost first.
    func calls(_ stack: CallStack) -> [String] {
        stack.calls.flatMap { sources[$0] ?? [] }.filter(Self.isOwn).map(Self.short)
    }

    /// A position without its folder. Code in a macro's expansion, such as the closure of
    /// `#expect(throws:) { … }`, gets its position in the source file. The expansion's name
    /// contains the file and the line of the macro.
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
        // The lab itself starts the symboliser. Therefore the hooks must ignore the symboliser's
        // calls, even on a thread of a schedule.
        faultline_pass_through(true)
        defer { faultline_pass_through(false) }
        guard (try? process.run()) != nil else { return }
        let text = Self.text(of: output.fileHandleForReading.fileDescriptor)
        process.waitUntilExit()
        // One paragraph for each address: a name and a position for each frame, including inlined
        // ones.
        for (address, paragraph) in zip(addresses, text.split(separator: "\n\n")) {
            let lines = paragraph.split(separator: "\n")
            let places = lines.enumerated().filter { $0.offset % 2 == 1 }.map { _, line in
                // FILE:LINE:COLUMN
                String(line[..<(line.lastIndex(of: ":") ?? line.endIndex)])
            }
            sources[address] = places
        }
    }

    /// Reads a pipe to its end. Foundation's own method ends the process if a signal interrupts the
    /// read.
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
