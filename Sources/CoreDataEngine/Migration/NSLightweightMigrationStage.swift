import CoreDataTrace

/// Versions that follow each other by lightweight migration.
public final class NSLightweightMigrationStage: NSMigrationStage {
    /// The checksums of the versions, in their order.
    public let versionChecksums: [String]

    private init(checksums: [String]) {
        versionChecksums = checksums
        super.init()
    }

    /// Makes a stage of versions, given by their checksums in their order.
    public convenience init(_ checksums: [String]) { self.init(checksums: checksums) }

    /// Unavailable: a stage is made of versions.
    @available(*, unavailable, message: "Use init(_:).")
    public override init() { trap("A stage needs the checksums of versions. Use init(_:).") }
}
