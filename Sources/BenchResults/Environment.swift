/// The machine and the software versions of a measurement. Reports print them next to times.
package struct Environment: Codable, Sendable, Hashable {
    /// The architecture and the kind of machine, such as `x86_64 virtual machine`.
    package var machine: String
    package var cpu: String
    package var cores: Int
    package var memoryBytes: Int
    package var operatingSystem: String
    package var swift: String
    /// The version of the SQLite library that is loaded. It can differ from that of its headers.
    package var sqlite: String
    /// The build configuration, `release` or `debug`.
    package var build: String

    package init(
        machine: String, cpu: String, cores: Int, memoryBytes: Int, operatingSystem: String,
        swift: String, sqlite: String, build: String
    ) {
        self.machine = machine
        self.cpu = cpu
        self.cores = cores
        self.memoryBytes = memoryBytes
        self.operatingSystem = operatingSystem
        self.swift = swift
        self.sqlite = sqlite
        self.build = build
    }
}
