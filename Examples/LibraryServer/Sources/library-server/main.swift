import Foundation
import LibraryService

// library-server [STORE.sqlite [PORT]]
let arguments = CommandLine.arguments.dropFirst()
let path = arguments.first ?? "library.sqlite"
let port = arguments.dropFirst().first.flatMap { UInt16($0) } ?? 8080
let store = try LibraryStore(at: URL(fileURLWithPath: path))
print("serves \(path) at http://127.0.0.1:\(port)/books")
try await LibraryServer.make(store, port: port).run()
