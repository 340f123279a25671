import CRuntimeShims
import Foundation
import Synchronization

/// Finds the property whose getter a key path calls.
///
/// A key path contains only the address of a computed property's getter. The symbol table of its
/// program or library (the image) maps the address to the property. The table is read once for each
/// image. A stripped image has none.
enum ImageSymbols {
    /// The getters of a program or library, by their offsets from the base address.
    private struct Image {
        let getters: [UInt64: String]
    }

    private static let images = Mutex<[String: Image]>([:])

    /// The name of the property whose getter is at an address, or nil.
    static func property(getterAt address: UInt) -> String? {
        var found: UnsafePointer<CChar>?
        var base: UInt = 0
        guard let pointer = UnsafeRawPointer(bitPattern: address),
            faultline_find_image(pointer, &found, &base), let found
        else { return nil }
        let path = String(cString: found)
        let image = images.withLock { images in
            if let known = images[path] { return known }
            let read = Image(getters: ELFSymbols(path)?.getters() ?? [:])
            images[path] = read
            return read
        }
        let distance = UInt64(address - base)
        // If a program is not position-independent, its symbols are absolute addresses.
        guard let symbol = image.getters[distance] ?? image.getters[UInt64(address)] else {
            return nil
        }
        return demangled(symbol).flatMap(name)
    }

    private static func demangled(_ symbol: String) -> String? {
        guard let text = faultline_demangle(symbol, symbol.utf8.count) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// The property in `key path getter for App.Book.title : String : App.Book`, or in
    /// `App.Book.title.getter : String`.
    static func name(in text: String) -> String? {
        var path = text.components(separatedBy: " : ")[0]
        let lead = "key path getter for "
        if path.hasPrefix(lead) { path.removeFirst(lead.count) }
        if path.hasSuffix(".getter") { path.removeLast(".getter".count) }
        // A private name appears as `(title in _5D2F…)`.
        if path.hasSuffix(")"), let open = path.lastIndex(of: "(") {
            path = String(path[path.index(after: open)...].prefix { $0 != " " })
        }
        let name = path.split(separator: ".").last.map(String.init)
        return name.flatMap { $0.contains(where: { " <>()".contains($0) }) ? nil : $0 }
    }
}

/// The symbol table of a 64-bit ELF file, the format of Linux.
private struct ELFSymbols {
    private let bytes: Data

    /// Nil if the file cannot be read or is not a 64-bit ELF file.
    init?(_ path: String) {
        // The path of the program may be relative to a folder that was the current one at its
        // start.
        let own = "/proc/self/exe"
        let isThere = FileManager.default.fileExists(atPath: path)
        guard
            let data = try? Data(
                contentsOf: URL(fileURLWithPath: isThere ? path : own), options: .mappedIfSafe),
            data.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
        else { return nil }
        bytes = data
    }

    private func number<T: FixedWidthInteger>(_ offset: UInt64, _ type: T.Type) -> T? {
        guard let start = Int(exactly: offset), start >= 0,
            start <= bytes.count - MemoryLayout<T>.size
        else { return nil }
        return bytes.withUnsafeBytes {
            T(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: T.self))
        }
    }

    private struct Section {
        let type: UInt32
        let offset: UInt64
        let size: UInt64
        let link: UInt32
    }

    private func sections() -> [Section] {
        guard let table = number(40, UInt64.self), let size = number(58, UInt16.self),
            let count = number(60, UInt16.self), size >= 64
        else { return [] }
        return (0..<UInt64(count)).compactMap { index in
            let start = table &+ index &* UInt64(size)
            guard let type = number(start &+ 4, UInt32.self),
                let offset = number(start &+ 24, UInt64.self),
                let length = number(start &+ 32, UInt64.self),
                let link = number(start &+ 40, UInt32.self)
            else { return nil }
            return Section(type: type, offset: offset, size: length, link: link)
        }
    }

    func getters() -> [UInt64: String] {
        let sections = sections()
        // The full symbol table; a stripped file only has the dynamic one.
        guard
            let table = sections.first(where: { $0.type == 2 })
                ?? sections.first(where: { $0.type == 11 }), Int(table.link) < sections.count
        else { return [:] }
        let strings = sections[Int(table.link)]
        var getters: [UInt64: String] = [:]
        for index in 0..<table.size / 24 {
            let start = table.offset &+ index &* 24
            guard let name = number(start, UInt32.self),
                let value = number(start &+ 8, UInt64.self),
                value != 0, let symbol = getter(strings, UInt64(name))
            else { continue }
            // Two symbols may have the same address. The function of the key path itself (`TK`) is
            // then preferred to a getter.
            if getters[value] == nil || symbol.hasSuffix("TK") { getters[value] = symbol }
        }
        return getters
    }

    /// The symbol name at an offset, if it is the mangled name of a getter.
    private func getter(_ strings: Section, _ name: UInt64) -> String? {
        guard name < strings.size, let start = Int(exactly: strings.offset &+ name),
            start >= 0, start < bytes.count
        else { return nil }
        return bytes.withUnsafeBytes { buffer -> String? in
            let rest = buffer[start...]
            guard rest.starts(with: "$s".utf8), let end = rest.firstIndex(of: 0) else { return nil }
            let symbol = UnsafeRawBufferPointer(rebasing: rest[start..<end])
            let isGetter =
                symbol.suffix(2).elementsEqual("TK".utf8)
                || symbol.suffix(2).elementsEqual("vg".utf8)
            return isGetter ? String(decoding: symbol, as: UTF8.self) : nil
        }
    }
}
