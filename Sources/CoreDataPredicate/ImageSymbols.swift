import CRuntimeShims
import Foundation
import Synchronization

/// Finds the property whose getter a key path calls.
///
/// A key path contains only the address of a computed property's getter. The symbol table of its
/// program or library maps the address to the property. A stripped file has no table.
enum ImageSymbols {
    /// The names of the getters by their addresses. Programs and libraries are never unloaded.
    private static let known = Mutex<[UInt: String?]>([:])

    /// The name of the property whose getter is at an address, or nil.
    static func property(getterAt address: UInt) -> String? {
        if let found = known.withLock({ $0[address] }) { return found }
        let name = symbol(at: address).flatMap(name)
        known.withLock { $0[address] = .some(name) }
        return name
    }

    private static func symbol(at address: UInt) -> String? {
        guard let mangled = faultline_getter_symbol(UnsafeRawPointer(bitPattern: address)) else {
            return nil
        }
        defer { free(mangled) }
        guard let text = faultline_demangle(mangled, strlen(mangled)) else { return nil }
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
