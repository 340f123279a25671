import CoreDataTrace

/// A sequence of versions linked by lightweight migrations.
public final class NSLightweightMigrationStage: NSMigrationStage {
    /// The checksums of the versions, in their order.
    public let versionChecksums: [String]

    private init(checksums: [String]) {
        versionChecksums = checksums
        super.init()
    }

    /// Creates a stage from the versions' checksums, in their order.
    public convenience init(_ checksums: [String]) { self.init(checksums: checksums) }

    /// Unavailable: a stage needs versions.
    @available(*, unavailable, message: "Use init(_:).")
    public override init() { trap("A stage needs the checksums of versions. Use init(_:).") }
}
